// This file stands in for the training steps where the kernels were left out.
#include "calibrate/step/real_step.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {
namespace {

[[noreturn]] void refuse() {
  throw Unavailable(
      "this build has no kernels for processors; to run a step: apt-get install libdnnl-dev libopenblas-pthread-dev, "
      "and build again");
}

}  // namespace

std::unique_ptr<RealStep> residual_training(std::int64_t, int) { refuse(); }
std::unique_ptr<RealStep> logistic_training(std::int64_t, int) { refuse(); }

}  // namespace mlsim::calibrate
