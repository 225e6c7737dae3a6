#include "workloads/convergence/run_distribution.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <random>

#include "core/errors.hpp"

namespace mlsim::workloads {
namespace {

constexpr double kFinest = 1e-6;  // step of the law, where there is no grid

// Acklam 2003, "An algorithm for computing the inverse normal cumulative distribution function".
constexpr std::array<double, 6> kA{-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                                   1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
constexpr std::array<double, 5> kB{-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                                   6.680131188771972e+01, -1.328068155288572e+01};
constexpr std::array<double, 6> kC{-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                                   -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
constexpr std::array<double, 4> kD{7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                                   3.754408661907416e+00};
constexpr double kTail = 0.02425;

template <std::size_t n>
double polynomial(const std::array<double, n>& coefficients, double x) {
  double sum = 0;
  for (double c : coefficients) sum = sum * x + c;
  return sum;
}

double lower_tail(double share) {
  const double q = std::sqrt(-2 * std::log(share));
  return polynomial(kC, q) / (polynomial(kD, q) * q + 1);
}

// The lognormal whose mean is the law, snapped.
double run_epochs(const ConvergenceTable& table, const Recipe& recipe, double law, double batch, double share) {
  if (recipe.exact) return law;
  const double s = table.run_spread;
  const double free = law * std::exp(s * normal_quantile(share) - s * s / 2);
  if (recipe.evaluations.interval(batch, recipe.samples_per_epoch) == 0)
    return law * kFinest * std::round(free / (law * kFinest));
  return recipe.evaluations.nearest(free, law, batch, recipe.samples_per_epoch);
}

}  // namespace

double normal_quantile(double share) {
  if (!(share > 0 && share < 1)) throw InputError(fmt::format("a share of runs lies between 0 and 1, not {}", share));
  if (share < kTail) return lower_tail(share);
  if (share > 1 - kTail) return -lower_tail(1 - share);
  const double q = share - 0.5, r = q * q;
  return polynomial(kA, r) * q / (polynomial(kB, r) * r + 1);
}

double epochs_quantile(const ConvergenceTable& table, const Recipe& recipe, double global_batch, double share,
                       int accelerators) {
  const double law = samples_to_target(table, recipe, global_batch, accelerators).epochs;
  return run_epochs(table, recipe, law, global_batch, share);
}

std::vector<double> sampled_epochs(const ConvergenceTable& table, const Recipe& recipe, double global_batch, int count,
                                   std::uint64_t seed, int accelerators) {
  if (count < 1) throw InputError(fmt::format("a sample holds at least one run, not {}", count));
  const double law = samples_to_target(table, recipe, global_batch, accelerators).epochs;
  std::mt19937_64 bits(seed);
  std::vector<double> runs;
  runs.reserve(count);
  for (int i = 0; i < count; ++i) {
    const double share = (static_cast<double>(bits() >> 11U) + 0.5) * 0x1p-53;
    runs.push_back(run_epochs(table, recipe, law, global_batch, share));
  }
  return runs;
}

}  // namespace mlsim::workloads
