#include "topologies/construction/grid_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/machine/bill.hpp"

namespace mlsim::topologies {
namespace {

bool between_pods(int x, int other, int pod) { return pod > 0 && x / pod != other / pod; }

/// Gives the links of the accelerator itself. Where it has those of a grid of other dimensions, they become as many as
/// this one has, of the same total.
Link folded_link(const AcceleratorSpec& accelerator, std::size_t dimensions, std::vector<std::string>& notes) {
  const int links = 2 * static_cast<int>(dimensions);
  const BytesPerSecond bandwidth = accelerator.grid_links / double(links) * accelerator.grid_link_bandwidth.value;
  if (accelerator.grid_links != links)
    notes.push_back(fmt::format(
        "{} has {} links of {}, for a grid of {} dimensions; as {} of {} their total per chip is right, and "
        "distances are not",
        accelerator.name, accelerator.grid_links, to_text(accelerator.grid_link_bandwidth.value),
        accelerator.grid_links / 2, links, to_text(bandwidth)));
  return {bandwidth, accelerator.grid_link_latency.value, LinkKind::ici};
}

GridLinks grid_links(const Selection& selection, const TopologyOptions& options, std::vector<std::string>& notes) {
  const AcceleratorSpec& accelerator = selection.machine.accelerator;
  const GridSpec& grid = *selection.machine.grid;
  GridLinks links;
  if (options.link_bandwidth && options.link_latency)
    links.link = {*options.link_bandwidth, *options.link_latency, LinkKind::ici};
  else if (grid.link)
    links.link = {grid.link->bandwidth.value, grid.link->latency.value, LinkKind::ici};
  else if (accelerator.grid_links > 0)
    links.link = folded_link(accelerator, grid.grid.size(), notes);
  else
    throw InputError(
        fmt::format("topology \"{}\": {} has no torus links of its own; give link_bandwidth= and "
                    "link_latency=",
                    selection.head, accelerator.name));
  if (options.link_bandwidth) links.link.bandwidth = *options.link_bandwidth;
  if (options.link_latency) links.link.latency = *options.link_latency;
  links.pod = grid.pod;
  links.pod_latency = max(grid.pod_latency.value, links.link.latency);
  return links;
}

GridSpec wrapped_spec(GridSpec spec, const std::string& wrap, const std::string& head) {
  const std::vector<std::string>& words = wraps_of(spec.grid);
  if (std::ranges::find(words, wrap) == words.end())
    throw InputError(fmt::format("topology \"{}\": option \"wrap\": {}", head, unknown_word("wrap", wrap, words)));
  spec.grid = wrapped(spec.grid, wrap);
  spec.pod_wraps = spec.grid.front().wraps;
  return spec;
}

// Picks the box for `accelerators` within `most`; throws Infeasible with the nearest counts that have one, or where
// there are more than the grid holds. `name` is the grid's in messages.
Grid slice_for(int accelerators, const Grid& most, const std::string& name) {
  const int all = places_in(most);
  if (accelerators == all) return most;
  if (accelerators > all)
    throw Infeasible(fmt::format("{} holds {} accelerators, not {}", name, all, accelerators),
                     {"at most ", named("accelerators", all)});
  if (auto box = best_box(accelerators, most)) return *std::move(box);
  const int below = nearest_count(accelerators, -1, most), above = nearest_count(accelerators, 1, most);
  throw Infeasible(fmt::format("no {} accelerators form a rectangle inside {} ({}); the nearest that do are {} and {}",
                               accelerators, name, size_text(most), below, above),
                   {named("accelerators", below), " and ", named("accelerators", above), " accelerators do"});
}

/// Gives the part of the grid that is used.
Grid used_box(const Selection& selection, const TopologyOptions& options, int accelerators) {
  const Grid& whole = selection.machine.grid->grid;
  const Grid& most = options.slice ? *options.slice : whole;
  constexpr auto size = &GridDimension::size;
  if (most.size() != whole.size())
    throw InputError(fmt::format("topology \"{}\": a slice of {} has {} dimensions, and {} has {}", selection.head,
                                 size_text(most), most.size(), size_text(whole), whole.size()));
  if (!std::ranges::equal(most, whole, std::less_equal<>(), size, size))
    throw Infeasible(
        fmt::format("a slice of {} does not fit into {} ({})", size_text(most), selection.head, size_text(whole)));
  return accelerators > 0 ? slice_for(accelerators, most, selection.head) : most;
}

// Gives the grid of a slice at the origin: a side shorter than the whole loses its wrap, except in a slice of whole
// cubes, and one that spans just one pod of several in X, which has its own wrap.
Grid sliced_grid(const GridSpec& spec, Grid slice) {
  const bool cubes = spec.cube > 0 &&
                     std::ranges::all_of(slice, [&](const GridDimension& side) { return side.size % spec.cube == 0; });
  for (std::size_t d = 0; d < slice.size(); ++d) {
    const bool whole = cubes || slice[d].size == spec.grid[d].size,
               pod = d == 0 && spec.pod_wraps && slice[d].size == spec.pod;
    slice[d].wraps = whole ? spec.grid[d].wraps : pod;
  }
  return slice;
}

// Drops wraps that are no links of their own (lengths 1 and 2).
Grid with_real_wraps(Grid grid) {
  for (GridDimension& dimension : grid) dimension.wraps = dimension.wraps && dimension.size > 2;
  return grid;
}

}  // namespace

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

Cluster grid_cluster(const Selection& selection, TopologyOptions options, int accelerators) {
  const MachineSpec& machine = selection.machine;
  const GridSpec spec = options.wrap ? wrapped_spec(*machine.grid, *options.wrap, selection.head) : *machine.grid;
  const Grid used = used_box(selection, options, accelerators);
  const int chips = places_in(used);
  options.put("slice", chips == places_in(spec.grid) ? "" : size_text(used));
  if (selection.from_catalogue || selection.bare_grid) options.put("accelerator", machine.accelerator.name);

  Cluster cluster;
  cluster.name = options.canonical_name(selection.head);
  cluster.machine = selection.from_catalogue ? machine.name : "";
  cluster.notes = machine.notes;
  cluster.accelerator = machine.accelerator;
  cluster.interconnect = Interconnect::torus;
  cluster.grid = with_real_wraps(sliced_grid(spec, used));
  cluster.graph = grid_graph(*cluster.grid, grid_links(selection, options, cluster.notes));
  cluster.accelerators_per_node = chips;
  cluster.host = machine.accelerator.host;
  if (cluster.host) cluster.hosts = (chips + cluster.host->accelerators - 1) / cluster.host->accelerators;
  cluster.bill = bill_for(machine.bill, chips, 1);
  return cluster;
}

}  // namespace mlsim::topologies
