#include "workloads/convergence/batch_law.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace mlsim::workloads {
namespace {

// Misfits above this count linearly, not squared: the size of a submission that is out of line with its neighbours.
constexpr double kSoft = 0.05;

// The search covers 100 to 10^8 samples, far beyond every published batch, in steps of 1 %.
constexpr double kLowestCritical = 1e2;
constexpr double kHighestCritical = 1e8;
constexpr double kCriticalStep = 1.01;

double soft_l1(double residual) {
  const double r = residual / kSoft;
  return 2 * kSoft * kSoft * (std::sqrt(1 + r * r) - 1);
}

// Returns how hard a residual pulls at the level: half the slope of soft_l1.
double pull(double residual) {
  const double r = residual / kSoft;
  return residual / std::sqrt(1 + r * r);
}

struct Fit {
  double misfit = std::numeric_limits<double>::infinity();
  double log_lowest = 0;
};

// Returns the best log Emin for a shape log(1 + B/Bcrit): the misfit is convex, so all pulls add up to none there.
Fit best_level(const std::vector<double>& levels) {
  const auto sum = [&](auto term, double level) {
    double total = 0;
    for (double l : levels) total += term(l - level);
    return total;
  };
  double low = *std::min_element(levels.begin(), levels.end());
  double high = *std::max_element(levels.begin(), levels.end());
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (sum(pull, middle) > 0 ? low : high) = middle;
  }
  const double level = (low + high) / 2;
  return {sum(soft_l1, level), level};
}

Fit fit_at(const std::vector<WeightedPoint>& points, double critical) {
  std::vector<double> levels;
  for (const WeightedPoint& p : points) levels.push_back(std::log(p.y) - std::log1p(p.x / critical));
  return best_level(levels);
}

}  // namespace

double BatchLaw::operator()(double batch) const { return lowest * (1 + std::pow(batch / critical, exponent)); }

BatchLaw fitted_batch_law(const std::vector<WeightedPoint>& points) {
  assert(!points.empty());
  double best_critical = std::numeric_limits<double>::infinity();
  Fit best = fit_at(points, best_critical);
  for (double critical = kLowestCritical; critical < kHighestCritical; critical *= kCriticalStep) {
    const Fit fit = fit_at(points, critical);
    if (fit.misfit < best.misfit) {
      best = fit;
      best_critical = critical;
    }
  }
  return {std::exp(best.log_lowest), best_critical, 1};
}

}  // namespace mlsim::workloads
