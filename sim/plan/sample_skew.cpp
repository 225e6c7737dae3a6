#include "sim/plan/step_choice.hpp"

#include <cmath>

#include "core/quantile.hpp"

namespace mlsim::sim {

double sample_skew(double spread, const StepPlan& step) {
  const int ranks = step.parallelism.batch_ranks();
  const bool padded = step.one_program;  // one program has shapes of one size
  if (spread == 0 || ranks < 2 || padded) return 1;
  return 1 + spread * largest_of_normals(ranks) / std::sqrt(step.batch_per_accelerator);
}

}  // namespace mlsim::sim
