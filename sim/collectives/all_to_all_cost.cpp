#include "sim/collectives/all_to_all_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/collectives/algorithms.hpp"

namespace mlsim {

namespace {

// Messages over the busiest link of one line of `size` ranks when each sends `lines` messages to every other place:
// a ring's links carry all distances up to size/2, the middle of an open line every pair of its two sides.
double busiest(int size, int lines, bool wraps) {
  const double half = std::floor(size / 2.0);
  return lines * (wraps ? half * (half + 1) / 2 : half * (size - half));
}

double slowest_rate(const HopTable& hops, LinkKind kind) {
  double rate = std::numeric_limits<double>::infinity();
  for (LinkIndex i = 0; i < hops.links(); ++i) {
    if (hops.cluster().link(i).kind == kind) rate = std::min(rate, hops.rate(i).value);
  }
  return rate;
}

// Share of the line rate that the first link of a route reaches.
double first_link_share(HopTable& hops, int to) {
  const LinkIndex link = hops.link(hops.hop(0, to).first);
  return hops.rate(link) / hops.cluster().link(link).bandwidth;
}

double nic_share(HopTable& hops, int to) {
  const HopTable::Hop hop = hops.hop(0, to);
  for (std::uint32_t i = hop.first; i < hop.first + hop.count; ++i) {
    const Link& link = hops.cluster().link(hops.link(i));
    if (link.kind == LinkKind::nic) return hops.rate(hops.link(i)) / link.bandwidth;
  }
  return 1;
}

double per_element_outside_grids(HopTable& hops) {
  const Cluster& cluster = hops.cluster();
  const double ranks = cluster.ranks();
  const auto nodes = ranks_by_node(cluster);
  const double local = static_cast<double>(nodes.front().size());
  const double inside = (ranks - 1) / ranks / (first_link_share(hops, 1) * cluster.injection.value);
  if (nodes.size() < 2) return inside;
  const double outside =
      local * (ranks - local) / ranks / (nic_share(hops, cluster.ranks() - 1) * cluster.node_network.value);
  return std::max(inside, outside);
}

// From rank 0, which stands for all, to ranks spread evenly.
Seconds mean_alpha(HopTable& hops) {
  const int ranks = hops.cluster().ranks(), step = std::max(1, ranks / 256);
  Seconds sum;
  int count = 0;
  for (int to = 1; to < ranks; to += step, ++count) sum += hops.hop(0, to).alpha;
  return sum / count;
}

}  // namespace

AllToAllCost all_to_all_cost(HopTable& hops) {
  const Cluster& cluster = hops.cluster();
  const int ranks = cluster.ranks();
  const Seconds latency = static_cast<double>(ranks - 1) * mean_alpha(hops);
  if (!cluster.grid) return {latency, per_element_outside_grids(hops)};
  const Grid& grid = *cluster.grid;
  const double messages =
      std::max(busiest(grid.size_x, grid.size_y, grid.wrap_x), busiest(grid.size_y, grid.size_x, grid.wrap_y));
  return {latency, messages / ranks / slowest_rate(hops, LinkKind::ici)};
}

}  // namespace mlsim
