#include "workloads/convergence/batch_law.hpp"

#include <algorithm>
#include <cassert>

namespace mlsim::workloads {

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

}  // namespace mlsim::workloads
