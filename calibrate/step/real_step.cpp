#include "calibrate/step/real_step.hpp"

#include "core/text/errors.hpp"

namespace mlsim::calibrate {

std::unique_ptr<RealStep> training_run(const std::string& workload, std::int64_t batch, int threads) {
  if (workload == "resnet20-cifar") return residual_training(batch, threads);
  if (workload == "logreg-epsilon") return logistic_training(batch, threads);
  throw Unavailable("no training step is written out for " + workload +
                    "; there is one of resnet20-cifar and of "
                    "logreg-epsilon");
}

}  // namespace mlsim::calibrate
