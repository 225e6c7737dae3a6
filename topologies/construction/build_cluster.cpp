#include "topologies/construction/build_cluster.hpp"

#include <fmt/format.h>

#include "core/process/activity.hpp"
#include "core/text/errors.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/construction/grid_cluster.hpp"
#include "topologies/construction/node_cluster.hpp"
#include "topologies/construction/selection.hpp"
#include "topologies/machine/machine_file.hpp"
#include "topologies/machine/published_names.hpp"
#include "topologies/machine/topology_name.hpp"

namespace mlsim::topologies {
namespace {

void number_ranks(Cluster& cluster) {
  for (std::uint32_t v = 0; v < boost::num_vertices(cluster.graph); ++v)
    if (cluster.graph[v].kind == VertexKind::accelerator) cluster.rank_vertex.push_back(v);
}

/// Sums one accelerator's links inside its node or slice, of the rank that has most; over PCIe where it has no other.
BytesPerSecond injection(const Cluster& cluster) {
  BytesPerSecond most;
  for (int rank = 0; rank < cluster.accelerators_per_node; ++rank) {
    BytesPerSecond own, pcie;
    const LinkRange range = links_from(cluster.graph, cluster.rank_vertex[rank]);
    for (LinkIndex i = range.first; i < range.last; ++i) {
      const Link& link = cluster.link(i);
      if (link.kind == LinkKind::nic) continue;
      (link.kind == LinkKind::pcie ? pcie : own) += link.bandwidth;
    }
    most = max(most, own.value > 0 ? own : pcie);
  }
  return most;
}

bool is_grid_word(const MachineSpec& machine) {
  return !machine.grid_name.empty() && machine.accelerator.name == kGridAccelerator;
}

struct Meant {
  Selection selection;
  TopologyKind kind = TopologyKind::nodes;
  TopologyOptions options;
  bool accelerator_alone = false;  // an accelerator's name, without a count
};

Meant meant_by(const std::string& name) {
  TopologyName parsed = resolved_name(parse_topology_name(name));
  Meant meant;
  if (auto machine = machine_of_accelerator(parsed)) {
    parsed = std::move(*machine);
    meant.accelerator_alone = true;
  }
  meant.selection = select_machine(parsed);
  if (meant.selection.machine.grid) meant.kind = TopologyKind::grid;
  meant.options = parse_options(parsed, meant.kind);
  if (meant.options.nodes || meant.options.per_node) meant.accelerator_alone = false;
  if (meant.options.accelerator) change_accelerator(meant.selection, *meant.options.accelerator);
  return meant;
}

// Counts the accelerators of all of it.
int accelerators_in(const Meant& meant) {
  const MachineSpec& machine = meant.selection.machine;
  if (meant.accelerator_alone) return 1;
  if (machine.grid)
    return places_in(meant.options.slice.value_or(machine.grid->grid)) * meant.options.slices.value_or(1);
  return meant.options.nodes.value_or(1) * meant.options.per_node.value_or(machine.node->accelerators);
}

}  // namespace

std::string accelerator_of(const std::string& name) { return meant_by(name).selection.machine.accelerator.name; }

Cluster build_cluster(const std::string& name, int accelerators, const Defects& defects) {
  const Activity activity("building the system");
  if (accelerators < 0) throw InputError(fmt::format("{} accelerators make no sense; give 1 or more", accelerators));
  const auto [selection, kind, options, accelerator_alone] = meant_by(name);
  if (accelerators == 0 && accelerator_alone) accelerators = 1;
  Cluster cluster = kind == TopologyKind::grid ? grid_cluster(selection, options, accelerators)
                                               : node_cluster(selection, options, accelerators);
  number_ranks(cluster);
  cluster.injection = injection(cluster);
  apply_defects(cluster, defects);
  return cluster;
}

std::vector<TopologyEntry> topology_entries() {
  std::vector<TopologyEntry> entries;
  for (const auto& machine : catalogue_machines()) {
    std::string also = is_grid_word(machine) ? machine.name : "";
    for (const auto& alias : machine.aliases) also += (also.empty() ? "" : ", ") + alias;
    const int accelerators = machine.grid ? places_in(machine.grid->grid) : machine.node->accelerators;
    entries.push_back({is_grid_word(machine) ? machine.grid_name : machine.name, machine.accelerator.name,
                       machine.title + (also.empty() ? "" : " (also " + also + ")"), accelerators});
  }
  entries.push_back(
      {"torus8x8", std::string(kGridAccelerator), "any torusXxY: a 2-D torus, both dimensions wrap", 64, false});
  entries.push_back({"torus4x4x4", std::string(kThreeDimensionalGridAccelerator),
                     "any torusXxYxZ: a 3-D torus, all dimensions wrap", 64, false});
  entries.push_back(
      {"mesh8x8", std::string(kGridAccelerator), "any meshXxY: a 2-D mesh, no dimension wraps", 64, false});
  for (const auto& published : published_names()) {
    const Meant meant = meant_by(published.name);
    entries.push_back({published.name, meant.selection.machine.accelerator.name, "=" + published.topology,
                       accelerators_in(meant), false});
  }
  return entries;
}

}  // namespace mlsim::topologies
