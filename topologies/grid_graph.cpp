#include "topologies/grid_graph.hpp"

#include "topologies/blueprint.hpp"

namespace mlsim::topologies {
namespace {

/// The neighbours of place `at` in a dimension that come before it, ascending.
template <class Visit>
void visit_lower(int at, int size, bool wraps, Visit visit) {
  if (wraps && at + 1 == size) visit(0);
  if (at > 0) visit(at - 1);
}

/// Those that come after it, ascending.
template <class Visit>
void visit_upper(int at, int size, bool wraps, Visit visit) {
  if (at + 1 < size) visit(at + 1);
  if (wraps && at == 0) visit(size - 1);
}

bool between_pods(int x, int other, int pod) { return pod > 0 && x / pod != other / pod; }

}  // namespace

Grid with_real_wraps(Grid grid) {
  grid.wrap_x = grid.wrap_x && grid.size_x > 2;
  grid.wrap_y = grid.wrap_y && grid.size_y > 2;
  return grid;
}

ClusterGraph grid_graph(const Grid& wanted, const GridLinks& links) {
  const Grid grid = with_real_wraps(wanted);
  Blueprint blueprint;
  const auto ranks = static_cast<std::size_t>(grid.size_x) * static_cast<std::size_t>(grid.size_y);
  blueprint.vertices.reserve(ranks);
  blueprint.ends.reserve(4 * ranks);
  blueprint.links.reserve(4 * ranks);

  for (int y = 0; y < grid.size_y; ++y) {
    for (int x = 0; x < grid.size_x; ++x) {
      const std::uint32_t rank = blueprint.add(VertexKind::accelerator, 0);
      const auto connect = [&](int to_x, int to_y) {
        blueprint.ends.emplace_back(rank, static_cast<std::uint32_t>(to_y * grid.size_x + to_x));
        blueprint.links.push_back(links.link);
        if (between_pods(x, to_x, links.pod)) blueprint.links.back().latency = links.pod_latency;
      };
      // In ascending order of rank, so that the links need no sorting.
      visit_lower(y, grid.size_y, grid.wrap_y, [&](int to) { connect(x, to); });
      visit_lower(x, grid.size_x, grid.wrap_x, [&](int to) { connect(to, y); });
      visit_upper(x, grid.size_x, grid.wrap_x, [&](int to) { connect(to, y); });
      visit_upper(y, grid.size_y, grid.wrap_y, [&](int to) { connect(x, to); });
    }
  }
  return graph_of(blueprint);
}

}  // namespace mlsim::topologies
