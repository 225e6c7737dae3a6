#include "sim/engine/max_min.hpp"

#include <algorithm>
#include <queue>

namespace mlsim::sim {
namespace {

struct Fill {
  double share;  // share of each flow left on the link
  std::uint32_t link;
  std::uint32_t left;  // flows left on the link when this was queued; fewer now means it is out of date
  bool operator>(const Fill& o) const { return share != o.share ? share > o.share : link > o.link; }
};

}  // namespace

std::vector<double> max_min_rates(const MaxMinProblem& problem) {
  const auto flows = static_cast<std::uint32_t>(problem.offset.size() - 1);
  const auto links = static_cast<std::uint32_t>(problem.capacity.size());
  // The flows of each link are the transpose of the links of each flow.
  std::vector<std::uint32_t> first(links + 1, 0), on_link(problem.links.size());
  for (const std::uint32_t link : problem.links) ++first[link + 1];
  for (std::uint32_t l = 0; l < links; ++l) first[l + 1] += first[l];
  std::vector<std::uint32_t> fill(first.begin(), first.end() - 1);
  for (std::uint32_t f = 0; f < flows; ++f)
    for (std::uint32_t i = problem.offset[f]; i < problem.offset[f + 1]; ++i) on_link[fill[problem.links[i]]++] = f;

  std::vector<double> free = problem.capacity, rate(flows, -1);
  std::vector<std::uint32_t> left(links);
  std::priority_queue<Fill, std::vector<Fill>, std::greater<>> next;
  for (std::uint32_t l = 0; l < links; ++l) {
    left[l] = first[l + 1] - first[l];
    if (left[l] > 0) next.push({free[l] / left[l], l, left[l]});
  }
  double level = 0;
  while (!next.empty()) {
    const Fill full = next.top();
    next.pop();
    if (left[full.link] != full.left || full.left == 0) continue;
    level = std::max(level, full.share);  // shares only grow; keeps rounding from turning that round
    for (std::uint32_t i = first[full.link]; i < first[full.link + 1]; ++i) {
      const std::uint32_t f = on_link[i];
      if (rate[f] >= 0) continue;
      rate[f] = level;
      for (std::uint32_t k = problem.offset[f]; k < problem.offset[f + 1]; ++k) {
        const std::uint32_t l = problem.links[k];
        free[l] = std::max(0.0, free[l] - level);
        if (--left[l] > 0 && l != full.link) next.push({free[l] / left[l], l, left[l]});
      }
    }
  }
  return rate;
}

}  // namespace mlsim::sim
