#include "topologies/construction/grid_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "topologies/construction/grid_graph.hpp"
#include "topologies/construction/slice.hpp"
#include "topologies/machine/bill.hpp"

namespace mlsim::topologies {
namespace {

/// Gives the links of the accelerator itself; six of a 3-D torus become four of the same total on a grid of two
/// dimensions.
Link folded_link(const AcceleratorSpec& accelerator, std::size_t dimensions, std::vector<std::string>& notes) {
  const int links = 2 * static_cast<int>(dimensions);
  const BytesPerSecond bandwidth = accelerator.grid_links / double(links) * accelerator.grid_link_bandwidth.value;
  if (accelerator.grid_links != links)
    notes.push_back(
        fmt::format("{} has {} links of {} in a 3-D torus; they are folded into {} of {} in two dimensions, so that "
                    "the total per chip is right and distances are longer than the real ones",
                    accelerator.name, accelerator.grid_links, to_text(accelerator.grid_link_bandwidth.value), links,
                    to_text(bandwidth)));
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

GridSpec wrapped_spec(GridSpec spec, const std::string& wrap) {
  spec.grid = wrapped(spec.grid, wrap);
  spec.pod_wraps = spec.grid.front().wraps;
  return spec;
}

/// Gives the part of the grid that is used.
Grid used_box(const Selection& selection, const TopologyOptions& options, int accelerators) {
  const Grid& whole = selection.machine.grid->grid;
  const Grid& most = options.slice ? *options.slice : whole;
  constexpr auto size = &GridDimension::size;
  if (!std::ranges::equal(most, whole, std::less_equal<>(), size, size))
    throw Infeasible(
        fmt::format("a slice of {} does not fit into {} ({})", size_text(most), selection.head, size_text(whole)));
  return accelerators > 0 ? slice_for(accelerators, most, selection.head) : most;
}

}  // namespace

Cluster grid_cluster(const Selection& selection, TopologyOptions options, int accelerators) {
  const MachineSpec& machine = selection.machine;
  const GridSpec spec = options.wrap ? wrapped_spec(*machine.grid, *options.wrap) : *machine.grid;
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
