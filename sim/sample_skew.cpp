#include "sim/sample_skew.hpp"

#include <cmath>

namespace mlsim {
namespace {

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

}  // namespace

double largest_of_normals(int ranks) {
  // E = integral of (1 - P^n) above 0 less that of P^n below, by the trapezoidal rule, which is exact to rounding for
  // such smooth tails.
  constexpr double kEnd = 10, kStep = 1.0 / 64;
  const auto below = [&](double x) { return std::pow(normal_distribution(x), ranks); };
  double sum = 0.5 * (1 - 2 * below(0));
  for (double x = kStep; x <= kEnd; x += kStep) sum += 1 - below(x) - below(-x);
  return sum * kStep;
}

double sample_skew(const Plan& plan) {
  const double spread = plan.model.sample_spread.value;
  if (spread == 0 || plan.step.data_parallel < 2) return 1;
  return 1 + spread * largest_of_normals(plan.step.data_parallel) / std::sqrt(plan.step.batch_per_accelerator);
}

}  // namespace mlsim
