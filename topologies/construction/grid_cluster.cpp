#include "topologies/construction/grid_cluster.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/machine/accelerator_file.hpp"
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

// A chip's part of its host's NICs is a ring's two directions where there are more than two slices: what a ring moves is
// right, and nothing else crosses slices in training.
Link slice_link(const Selection& selection, int slices) {
  const AcceleratorSpec& accelerator = selection.machine.accelerator;
  if (!joins_slices(accelerator)) {
    std::vector<std::string> known = accelerator_names();
    std::erase_if(known, [](const std::string& name) { return !joins_slices(load_accelerator(name)); });
    throw InputError(fmt::format(
        "topology \"{}\": option \"slices\": nothing is known of the network between slices of {}; it is of {}",
        selection.head, accelerator.name, fmt::join(known, ", ")));
  }
  const double directions = slices > 2 ? 2 : 1;
  return {accelerator.slice_link_bandwidth.value / directions, accelerator.slice_link_latency.value, LinkKind::nic};
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
// there are more than the grid holds.
Grid slice_for(int accelerators, const Grid& most, const Selection& selection) {
  const std::string& name = selection.head;
  const int all = places_in(most);
  if (accelerators == all) return most;
  if (accelerators > all) {
    std::string text = fmt::format("{} holds {} accelerators, not {}", name, all, accelerators);
    const std::string slices = slices_for(accelerators, most, selection.machine);
    if (!slices.empty()) text += fmt::format("; with {} it does", slices);
    throw Infeasible(text, {"at most ", named("accelerators", all)});
  }
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
  return accelerators > 0 ? slice_for(accelerators, most, selection) : most;
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

struct UsedSlices {
  Grid each;
  int count = 1;
};

// Several slices are used whole, one also in part.
UsedSlices used_slices(const Selection& selection, const TopologyOptions& options, int accelerators) {
  const int most = options.slices.value_or(1);
  if (most == 1) return {used_box(selection, options, accelerators), 1};
  const Grid whole = used_box(selection, options, 0);
  const int chips = places_in(whole);
  if (accelerators == 0) return {whole, most};
  if (accelerators <= chips) return {used_box(selection, options, accelerators), 1};
  if (accelerators % chips == 0 && accelerators / chips <= most) return {whole, accelerators / chips};
  const int below = std::min(accelerators / chips, most) * chips;
  throw Infeasible(fmt::format("{} accelerators fill no slices of {} of {} by {}; {} do", accelerators, chips,
                               selection.head, most, below),
                   {named("accelerators", below)});
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

  std::vector<std::pair<std::uint32_t, Link>> neighbours;  // and the link there
  for (int rank = 0; rank < ranks; ++rank) {
    neighbours.clear();
    int stride = 1;
    for (std::size_t d = 0; d < grid.size(); stride *= grid[d++].size) {
      const auto [size, wraps] = grid[d];
      const int at = rank / stride % size;
      for (const int beside : {at - 1, at + 1}) {
        if (!wraps && (beside < 0 || beside == size)) continue;
        const int to = (beside + size) % size;
        const bool between_slices = links.between_slices && d + 1 == grid.size();
        Link link = between_slices ? *links.between_slices : links.link;
        if (d == 0 && between_pods(at, to, links.pod)) link.latency = links.pod_latency;
        neighbours.emplace_back(rank + (to - at) * stride, link);
      }
    }
    // Sorted, so that graph_of need not sort all links.
    std::sort(neighbours.begin(), neighbours.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const std::uint32_t vertex = blueprint.add(VertexKind::accelerator, 0);
    for (const auto& [to, link] : neighbours) {
      blueprint.ends.emplace_back(vertex, to);
      blueprint.links.push_back(link);
    }
  }
  return graph_of(blueprint);
}

Cluster grid_cluster(const Selection& selection, TopologyOptions options, int accelerators) {
  const MachineSpec& machine = selection.machine;
  const GridSpec spec = options.wrap ? wrapped_spec(*machine.grid, *options.wrap, selection.head) : *machine.grid;
  const UsedSlices used = used_slices(selection, options, accelerators);
  const int each = places_in(used.each), chips = each * used.count;
  options.put("slice", each == places_in(spec.grid) ? "" : size_text(used.each));
  options.put("slices", used.count == 1 ? "" : std::to_string(used.count));
  if (selection.from_catalogue || selection.bare_grid) options.put("accelerator", machine.accelerator.name);

  Cluster cluster;
  cluster.name = options.canonical_name(selection.head);
  cluster.machine = selection.from_catalogue ? machine.name : "";
  cluster.notes = machine.notes;
  cluster.accelerator = machine.accelerator;
  cluster.interconnect = Interconnect::torus;
  GridLinks links = grid_links(selection, options, cluster.notes);
  Grid grid = sliced_grid(spec, used.each);
  if (used.count > 1) {
    links.between_slices = slice_link(selection, used.count);
    grid.push_back({used.count, true});
    cluster.slices = used.count;
  }
  cluster.grid = checked_grid(with_real_wraps(std::move(grid)));
  cluster.graph = grid_graph(*cluster.grid, links);
  cluster.accelerators_per_node = each;
  cluster.host = machine.accelerator.host;
  if (cluster.host) cluster.hosts = (chips + cluster.host->accelerators - 1) / cluster.host->accelerators;
  cluster.bill = bill_for(machine.bill, chips, 1);
  return cluster;
}

}  // namespace mlsim::topologies
