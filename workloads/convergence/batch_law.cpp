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

// Returns the best log Emin for a shape log(1 + B/Bcrit): the misfit is convex, so all pulls add up to none there, and
// it lies above its tangents. One that stays above `enough` whatever the level is not looked for to the end.
Fit best_level(const std::vector<double>& levels, double enough) {
  constexpr int kLook = 8;  // halvings
  const auto sum = [&](auto term, double level) {
    double total = 0;
    for (double l : levels) total += term(l - level);
    return total;
  };
  double low = *std::min_element(levels.begin(), levels.end());
  double high = *std::max_element(levels.begin(), levels.end());
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2, pulls = sum(pull, middle);
    if (i == kLook && sum(soft_l1, middle) - std::abs(pulls) * (high - low) > enough * (1 + 1e-9)) return {};
    (pulls > 0 ? low : high) = middle;
  }
  const double level = (low + high) / 2;
  return {sum(soft_l1, level), level};
}

Fit fit_at(const std::vector<WeightedPoint>& points, double critical, double enough) {
  std::vector<double> levels;
  for (const WeightedPoint& p : points) levels.push_back(std::log(p.y) - std::log1p(p.x / critical));
  return best_level(levels, enough);
}

}  // namespace

std::vector<WeightedPoint> merged(std::vector<WeightedPoint> points) {
  std::stable_sort(points.begin(), points.end(),
                   [](const WeightedPoint& a, const WeightedPoint& b) { return a.x < b.x; });
  std::vector<WeightedPoint> out;
  for (const WeightedPoint& p : points) {
    if (out.empty() || out.back().x != p.x) {
      out.push_back(p);
      continue;
    }
    WeightedPoint& last = out.back();
    last.y = (last.y * last.weight + p.y * p.weight) / (last.weight + p.weight);
    last.weight += p.weight;
  }
  return out;
}

std::vector<WeightedPoint> isotonic(const std::vector<WeightedPoint>& points) {
  struct Block {
    double y, weight;
    std::size_t count;
  };
  std::vector<Block> blocks;
  for (const WeightedPoint& p : points) {
    blocks.push_back({p.y, p.weight, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].y > blocks.back().y) {
      const Block last = blocks.back();
      blocks.pop_back();
      Block& into = blocks.back();
      into.y = (into.y * into.weight + last.y * last.weight) / (into.weight + last.weight);
      into.weight += last.weight;
      into.count += last.count;
    }
  }
  std::vector<WeightedPoint> out = points;
  std::size_t i = 0;
  for (const Block& block : blocks)
    for (std::size_t k = 0; k < block.count; ++k) out[i++].y = block.y;
  return out;
}

double interpolated(const std::vector<WeightedPoint>& curve, double x) {
  assert(!curve.empty());
  if (x <= curve.front().x) return curve.front().y;
  if (x >= curve.back().x) return curve.back().y;
  const auto right =
      std::upper_bound(curve.begin(), curve.end(), x, [](double value, const WeightedPoint& p) { return value < p.x; });
  const auto left = right - 1;
  return left->y + (right->y - left->y) * (x - left->x) / (right->x - left->x);
}

double BatchLaw::operator()(double batch) const { return lowest * (1 + std::pow(batch / critical, exponent)); }

BatchLaw fitted_batch_law(const std::vector<WeightedPoint>& points) {
  assert(!points.empty());
  double best_critical = std::numeric_limits<double>::infinity();
  Fit best = fit_at(points, best_critical, std::numeric_limits<double>::infinity());
  for (double critical = kLowestCritical; critical < kHighestCritical; critical *= kCriticalStep) {
    const Fit fit = fit_at(points, critical, best.misfit);
    if (fit.misfit < best.misfit) {
      best = fit;
      best_critical = critical;
    }
  }
  return {std::exp(best.log_lowest), best_critical, 1};
}

}  // namespace mlsim::workloads
