#include "sim/pace/pace_fit.hpp"

#include <cmath>

namespace mlsim::sim {

double solve_kernel_speed(const StepCost& step, Seconds measured) {
  double slow = 1e-3, fast = 1e3;
  const auto time = [&](double speed) { return step.nominal_time({speed, step.pace().contention}); };
  if (time(fast) > measured) return fast;
  while (fast / slow > 1 + 1e-9) {
    const double middle = std::sqrt(slow * fast);
    (time(middle) > measured ? slow : fast) = middle;
  }
  return fast;
}

double solve_contention(const StepCost& step, double speed, Seconds measured) {
  double least = -0.5, most = 20;
  while (most - least > 1e-9) {
    const double middle = (least + most) / 2;
    (step.nominal_time({speed, middle}) > measured ? most : least) = middle;
  }
  return most;
}

}  // namespace mlsim::sim
