#include "topologies/grid_cluster.hpp"

#include <fmt/format.h>

#include <tuple>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "topologies/bill.hpp"
#include "topologies/grid_graph.hpp"
#include "topologies/slice.hpp"

namespace mlsim::topologies {
namespace {

/// The links of the accelerator itself; six of a 3-D torus become four of the same total.
Link folded_link(const AcceleratorSpec& accelerator, std::vector<std::string>& notes) {
  const double fold = accelerator.grid_links / 4.0;
  const BytesPerSecond bandwidth = fold * accelerator.grid_link_bandwidth.value;
  if (accelerator.grid_links != 4)
    notes.push_back(fmt::format(
        "{} has {} links of {} in a 3-D torus; they are folded into 4 of {} in two dimensions, so that the "
        "total per chip is right and distances are longer than the real ones",
        accelerator.name, accelerator.grid_links, to_text(accelerator.grid_link_bandwidth.value), to_text(bandwidth)));
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
    links.link = folded_link(accelerator, notes);
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

GridSpec wrapped(GridSpec spec, const std::string& wrap) {
  spec.grid.wrap_x = wrap == "xy" || wrap == "x";
  spec.grid.wrap_y = wrap == "xy" || wrap == "y";
  spec.pod_wraps = spec.grid.wrap_x;
  return spec;
}

/// Lengths of what is used of the grid.
std::pair<int, int> used_size(const Selection& selection, const TopologyOptions& options, int accelerators) {
  const Grid& whole = selection.machine.grid->grid;
  std::pair<int, int> size{whole.size_x, whole.size_y};
  if (options.slice) {
    if (options.slice->first > size.first || options.slice->second > size.second)
      throw Infeasible(fmt::format("a slice of {}x{} does not fit into {} ({}x{})", options.slice->first,
                                   options.slice->second, selection.head, size.first, size.second));
    size = *options.slice;
  }
  return accelerators > 0 ? slice_for(accelerators, size.first, size.second, selection.head) : size;
}

}  // namespace

Cluster grid_cluster(const Selection& selection, TopologyOptions options, int accelerators) {
  const MachineSpec& machine = selection.machine;
  const GridSpec spec = options.wrap ? wrapped(*machine.grid, *options.wrap) : *machine.grid;
  const auto [x, y] = used_size(selection, options, accelerators);
  const bool whole = x == spec.grid.size_x && y == spec.grid.size_y;
  options.put("slice", whole ? "" : fmt::format("{}x{}", x, y));
  if (selection.from_catalogue || selection.bare_grid) options.put("accelerator", machine.accelerator.name);

  Cluster cluster;
  cluster.name = options.canonical_name(selection.head);
  cluster.machine = selection.from_catalogue ? machine.name : "";
  cluster.notes = machine.notes;
  cluster.accelerator = machine.accelerator;
  cluster.interconnect = Interconnect::torus;
  cluster.grid = with_real_wraps(sliced_grid(spec, x, y));
  cluster.graph = grid_graph(*cluster.grid, grid_links(selection, options, cluster.notes));
  cluster.accelerators_per_node = x * y;
  cluster.host = machine.accelerator.host;
  if (cluster.host) cluster.hosts = (x * y + cluster.host->accelerators - 1) / cluster.host->accelerators;
  cluster.bill = bill_for(machine.bill, x * y, 1);
  return cluster;
}

}  // namespace mlsim::topologies
