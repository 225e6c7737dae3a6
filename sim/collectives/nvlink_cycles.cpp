#include "sim/collectives/nvlink_cycles.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "topologies/cluster/link_lookup.hpp"

namespace mlsim::sim {

namespace {

using Cycle = std::vector<std::size_t>;
using Counts = std::vector<std::vector<int>>;  // NVLinks between two members

// A link as fast as two counts as two. The unit is the lower quartile, so that a few slowed links do not set it.
Counts link_counts(const Cluster& cluster, const std::vector<int>& ranks) {
  const std::size_t n = ranks.size();
  std::vector<std::vector<double>> bandwidth(n, std::vector<double>(n, 0));
  std::vector<double> all;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t from = cluster.rank_vertex[ranks[i]];
    const LinkRange range = links_from(cluster.graph, from);
    for (LinkIndex l = range.first; l < range.last; ++l) {
      if (cluster.link(l).kind != LinkKind::nvlink) continue;
      for (std::size_t j = 0; j < n; ++j) {
        if (link_target(cluster.graph, l) == cluster.rank_vertex[ranks[j]])
          bandwidth[i][j] += cluster.link(l).bandwidth.value;
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i < j && bandwidth[i][j] > 0) all.push_back(bandwidth[i][j]);
  Counts counts(n, std::vector<int>(n, 0));
  if (all.empty()) return counts;
  std::sort(all.begin(), all.end());
  const double unit = all[all.size() / 4];
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double both_ways = std::min(bandwidth[i][j], bandwidth[j][i]);
      if (both_ways > 0) counts[i][j] = std::max(1, static_cast<int>(std::lround(both_ways / unit)));
    }
  }
  return counts;
}

// Appends every cycle that continues `path`; each once, as its second member is lower than its last.
void extend(const Counts& counts, Cycle& path, std::vector<bool>& used, std::vector<Cycle>& out) {
  if (path.size() == counts.size()) {
    if (counts[path.back()][path.front()] > 0 && path[1] < path.back()) out.push_back(path);
    return;
  }
  for (std::size_t next = 1; next < counts.size(); ++next) {
    if (used[next] || counts[path.back()][next] == 0) continue;
    used[next] = true;
    path.push_back(next);
    extend(counts, path, used, out);
    path.pop_back();
    used[next] = false;
  }
}

bool take(Counts& counts, const Cycle& cycle, int change) {
  bool free = true;
  for (std::size_t p = 0; p < cycle.size(); ++p) {
    const std::size_t a = cycle[p], b = cycle[(p + 1) % cycle.size()];
    counts[a][b] -= change;
    counts[b][a] -= change;
    free = free && counts[a][b] >= 0;
  }
  return free;
}

// Searches the largest set of link-disjoint cycles; stops at `bound`, which no set can exceed.
void search(const std::vector<Cycle>& cycles, std::size_t first, Counts& counts, std::size_t bound,
            std::vector<std::size_t>& chosen, std::vector<std::size_t>& best) {
  if (chosen.size() > best.size()) best = chosen;
  for (std::size_t i = first; i < cycles.size() && best.size() < bound; ++i) {
    if (take(counts, cycles[i], 1)) {
      chosen.push_back(i);
      search(cycles, i, counts, bound, chosen, best);
      chosen.pop_back();
    }
    take(counts, cycles[i], -1);
  }
}

std::vector<Cycle> disjoint_cycles(Counts counts) {
  Cycle path{0};
  std::vector<bool> used(counts.size(), false);
  std::vector<Cycle> cycles;
  extend(counts, path, used, cycles);
  int bound = std::accumulate(counts[0].begin(), counts[0].end(), 0);
  for (const auto& row : counts) bound = std::min(bound, std::accumulate(row.begin(), row.end(), 0));
  std::vector<std::size_t> chosen, best;
  search(cycles, 0, counts, bound / 2, chosen, best);
  std::vector<Cycle> result;
  for (const std::size_t i : best) result.push_back(cycles[i]);
  return result;
}

}  // namespace

std::vector<std::vector<int>> nvlink_cycles(const Cluster& cluster, const std::vector<int>& ranks) {
  constexpr std::size_t kMost = 8;  // the largest NVLink mesh built; the search is exponential
  if (ranks.size() < 2 || ranks.size() > kMost) return {};
  const Counts counts = link_counts(cluster, ranks);
  if (ranks.size() == 2) return std::vector<std::vector<int>>(counts[0][1], ranks);
  std::vector<std::vector<int>> rings;
  for (const Cycle& cycle : disjoint_cycles(counts)) {
    std::vector<int> ring;
    for (const std::size_t member : cycle) ring.push_back(ranks[member]);
    rings.push_back(ring);
    std::reverse(ring.begin(), ring.end());
    rings.push_back(ring);
  }
  return rings;
}

}  // namespace mlsim::sim
