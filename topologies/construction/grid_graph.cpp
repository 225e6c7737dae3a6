#include "topologies/construction/grid_graph.hpp"

#include <algorithm>

#include "topologies/cluster/blueprint.hpp"

namespace mlsim::topologies {
namespace {

bool between_pods(int x, int other, int pod) { return pod > 0 && x / pod != other / pod; }

}  // namespace

Grid with_real_wraps(Grid grid) {
  for (GridDimension& dimension : grid) dimension.wraps = dimension.wraps && dimension.size > 2;
  return grid;
}

ClusterGraph grid_graph(const Grid& wanted, const GridLinks& links) {
  const Grid grid = with_real_wraps(wanted);
  const int ranks = places_in(grid);
  Blueprint blueprint;
  blueprint.vertices.reserve(ranks);
  blueprint.ends.reserve(2 * grid.size() * ranks);
  blueprint.links.reserve(2 * grid.size() * ranks);

  std::vector<std::pair<std::uint32_t, Seconds>> neighbours;  // and the latency of the link there
  for (int rank = 0; rank < ranks; ++rank) {
    neighbours.clear();
    int stride = 1;
    for (std::size_t d = 0; d < grid.size(); stride *= grid[d++].size) {
      const auto [size, wraps] = grid[d];
      const int at = rank / stride % size;
      for (const int beside : {at - 1, at + 1}) {
        if (!wraps && (beside < 0 || beside == size)) continue;
        const int to = (beside + size) % size;
        const bool other_pod = d == 0 && between_pods(at, to, links.pod);
        neighbours.emplace_back(rank + (to - at) * stride, other_pod ? links.pod_latency : links.link.latency);
      }
    }
    std::sort(neighbours.begin(), neighbours.end());  // so that graph_of need not sort all links
    const std::uint32_t vertex = blueprint.add(VertexKind::accelerator, 0);
    for (const auto& [to, latency] : neighbours) {
      blueprint.ends.emplace_back(vertex, to);
      blueprint.links.push_back({links.link.bandwidth, latency, links.link.kind});
    }
  }
  return graph_of(blueprint);
}

}  // namespace mlsim::topologies
