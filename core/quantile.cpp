#include "core/quantile.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace mlsim {
namespace {

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

}  // namespace

double largest_of_normals(int count) {
  // E is the integral of (1 - P^n) above 0 less that of P^n below, by the trapezoidal rule, which is exact to rounding
  // for such smooth tails.
  constexpr double kEnd = 10, kStep = 1.0 / 64;
  const auto below = [&](double x) { return std::pow(normal_distribution(x), count); };
  double sum = 0.5 * (1 - 2 * below(0));
  for (double x = kStep; x <= kEnd; x += kStep) sum += 1 - below(x) - below(-x);
  return sum * kStep;
}

double quantile(const std::vector<double>& sorted, double share) {
  assert(!sorted.empty());
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - static_cast<double>(low));
}

}  // namespace mlsim
