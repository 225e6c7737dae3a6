#include "sim/plan/sample_skew.hpp"

#include <cmath>

#include "core/order_statistics.hpp"

namespace mlsim::sim {

double sample_skew(const Plan& plan) {
  const double spread = plan.model.sample_spread.value;
  if (spread == 0 || plan.step.parallelism.batch_ranks() < 2) return 1;
  return 1 +
         spread * largest_of_normals(plan.step.parallelism.batch_ranks()) / std::sqrt(plan.step.batch_per_accelerator);
}

}  // namespace mlsim::sim
