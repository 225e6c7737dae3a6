#include "topologies/construction/node_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/machine/bill.hpp"

namespace mlsim::topologies {
namespace {

Link link_of(const LinkSpec& spec, LinkKind kind, double links = 1) {
  return {links * spec.bandwidth.value, spec.latency.value, kind};
}

/// `NodeParts` are the vertex numbers of one node.
struct NodeParts {
  std::vector<std::uint32_t> accelerators;  // by position in `places`
  std::vector<std::uint32_t> pcie_switches;
  std::uint32_t host = 0;
  std::vector<std::uint32_t> nics;
};

void add_nvlinks(Blueprint& blueprint, const NodeSpec& node, const std::vector<int>& places, int index,
                 const NodeParts& parts) {
  if (node.interconnect == Interconnect::nvswitch) {
    const auto hub = blueprint.add(VertexKind::link_switch, index);
    for (const auto accelerator : parts.accelerators)
      blueprint.connect(accelerator, hub, link_of(node.nvlink, LinkKind::nvlink, node.nvlinks));
  }
  std::vector<int> position(node.accelerators, -1);
  for (std::size_t i = 0; i < places.size(); ++i) position[places[i]] = static_cast<int>(i);
  for (const auto& pair : node.nvlink_pairs) {
    const int a = position[pair.a], b = position[pair.b];
    if (a < 0 || b < 0) continue;
    blueprint.connect(parts.accelerators[a], parts.accelerators[b], link_of(node.nvlink, LinkKind::nvlink, pair.links));
  }
}

void add_pcie(Blueprint& blueprint, const NodeSpec& node, const std::vector<int>& places, int index, NodeParts& parts) {
  const Link pcie = link_of(node.pcie, LinkKind::pcie);
  const int switches =
      node.per_pcie_switch > 0 ? (node.accelerators + node.per_pcie_switch - 1) / node.per_pcie_switch : 0;
  for (int i = 0; i < switches; ++i) parts.pcie_switches.push_back(blueprint.add(VertexKind::pcie_switch, index));
  parts.host = blueprint.add(VertexKind::host, index);
  for (const auto pcie_switch : parts.pcie_switches) blueprint.connect(pcie_switch, parts.host, pcie);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto above = switches > 0 ? parts.pcie_switches[places[i] / node.per_pcie_switch] : parts.host;
    blueprint.connect(parts.accelerators[i], above, pcie);
  }
}

void add_nics(Blueprint& blueprint, const NodeSpec& node, int index, NodeParts& parts) {
  for (int i = 0; i < node.nics; ++i) {
    const auto nic = blueprint.add(VertexKind::nic, index);
    const auto switches = parts.pcie_switches.size();
    const bool at_host = node.nics_at_host || switches == 0;
    const auto above = at_host ? parts.host : parts.pcie_switches[i * switches / node.nics];
    blueprint.connect(nic, above, link_of(node.pcie, LinkKind::pcie));
    parts.nics.push_back(nic);
  }
}

/// Adds one switch for all, or leaves of `nodes_per_leaf` nodes under one switch, each with a thinned uplink.
void add_network(Blueprint& blueprint, const NodeSpec& node, const std::vector<NodeParts>& all) {
  const Link nic = link_of(node.nic, LinkKind::nic);
  const bool leaves = node.nodes_per_leaf > 0 && static_cast<std::size_t>(node.nodes_per_leaf) < all.size();
  const std::size_t per_leaf = leaves ? static_cast<std::size_t>(node.nodes_per_leaf) : all.size();
  std::vector<std::pair<std::uint32_t, std::size_t>> switches;  // vertex, nodes below it
  for (std::size_t first = 0; first < all.size(); first += per_leaf) {
    const auto below = blueprint.add(VertexKind::network_switch, -1);
    const std::size_t last = std::min(all.size(), first + per_leaf);
    switches.emplace_back(below, last - first);
    for (std::size_t i = first; i < last; ++i)
      for (const auto vertex : all[i].nics) blueprint.connect(vertex, below, nic);
  }
  if (!leaves) return;
  const auto top = blueprint.add(VertexKind::network_switch, -1);
  for (const auto& [leaf, nodes] : switches) {
    const double nics = static_cast<double>(nodes) * node.nics / node.oversubscription;
    blueprint.connect(leaf, top, link_of(node.nic, LinkKind::network, nics));
  }
}

constexpr int kUsualNodesPerLeaf = 16;  // where oversubscription is asked of a machine that states no leaves

struct NodeCount {
  int nodes = 1;
  int per_node = 1;
};

int most_nodes(const TopologyOptions& options, int per_node) {
  return options.nodes ? *options.nodes : kMostNodeAccelerators / per_node;
}

// A rack is rented in parts: as few racks as hold the accelerators in equal parts of whole trays of four. The boxes of
// a smaller machine are taken whole.
std::optional<NodeCount> parts_of_racks(const TopologyOptions& options, int installed, int accelerators) {
  constexpr int kLargestBox = 16, kTray = 4;
  if (installed <= kLargestBox || options.per_node || options.nodes || accelerators % installed == 0)
    return std::nullopt;
  for (int racks = (accelerators + installed - 1) / installed; accelerators / racks >= installed / 2; ++racks)
    if (accelerators % (racks * kTray) == 0) return NodeCount{racks, accelerators / racks};
  return std::nullopt;
}

// Ranks may share the processors of a machine file of one's own, as processes of one host do; others are rented whole.
bool may_share(const Selection& selection) {
  return !selection.from_catalogue && selection.machine.accelerator.family == AcceleratorFamily::cpu;
}

// So many ranks of a node each take an equal part of its processors.
void share(NodeSpec& node, Cluster& cluster, int per_node) {
  const double part = static_cast<double>(node.accelerators) / per_node;
  AcceleratorSpec& processor = cluster.accelerator;
  for (auto& [precision, peak] : processor.peak) peak.value = peak.value * part;
  processor.memory.value = processor.memory.value * part;
  processor.memory_bandwidth.value = processor.memory_bandwidth.value * part;
  processor.watts.value *= part;
  cluster.notes.push_back(fmt::format("{} ranks share {} processor{} of a node evenly", per_node, node.accelerators,
                                      node.accelerators == 1 ? "" : "s"));
  node.accelerators = per_node;
}

/// Counts the nodes, and how many of their accelerators are used.
NodeCount allocation(const Selection& selection, const TopologyOptions& options, int accelerators) {
  const int installed = selection.machine.node->accelerators;
  const int per_node = options.per_node.value_or(installed);
  if (per_node > installed && !may_share(selection))
    throw Infeasible(
        fmt::format("{} has {} accelerators a node, not per_node={}", selection.head, installed, per_node));
  const int most = most_nodes(options, per_node);
  if (most > kMostNodeAccelerators / per_node)
    throw InputError(fmt::format("topology \"{}\": {} nodes are too many; at most {} accelerators are allowed",
                                 selection.head, count_text(most), count_text(kMostNodeAccelerators)));
  if (accelerators == 0) return {options.nodes.value_or(1), per_node};
  if (accelerators > most * per_node)
    throw Infeasible(fmt::format("{} holds {} accelerators, not {}", options.canonical_name(selection.head),
                                 most * per_node, accelerators),
                     {"at most ", named("accelerators", most * per_node)});
  if (accelerators <= per_node) return {1, accelerators};
  if (const auto part = parts_of_racks(options, installed, accelerators)) return *part;
  if (accelerators % per_node != 0) {
    const int below = accelerators / per_node * per_node;
    Statement nearest(named("accelerators", below));
    if (below + per_node <= most * per_node) nearest.add(" and ", named("accelerators", below + per_node));
    throw Infeasible(fmt::format("{} accelerators do not fill nodes of {} of {}; the nearest that do are {}",
                                 accelerators, per_node, selection.head, nearest.text),
                     nearest);
  }
  return {accelerators / per_node, per_node};
}

// A lower limit of power slows what heats the chip most, its matrix units under load. At the clocks in question voltage
// falls with the clock, so that power goes with its square to cube; the square is assumed, of which the clock's share
// is the root of the power's.
AcceleratorSpec limited(AcceleratorSpec spec, const TopologyOptions& options) {
  if (options.memory) spec.memory.value = *options.memory;
  if (options.memory_bandwidth) spec.memory_bandwidth.value = *options.memory_bandwidth;
  if (!options.power) return spec;
  if (spec.watts.value <= 0)
    throw InputError("power=",
                     fmt::format("the usual power of {} is not known, so that a limit says nothing", spec.title));
  if (*options.power > spec.watts.value)
    throw Infeasible(fmt::format("{} draws at most {:g} W, not {:g}", spec.title, spec.watts.value, *options.power));
  const double slower = std::sqrt(*options.power / spec.watts.value);
  spec.watts.value = *options.power;
  for (const auto& [precision, peak] : spec.peak) {
    Sourced<double>& sustained = spec.sustained_products[precision];
    sustained.value = (sustained.value > 0 ? sustained.value : 1) * slower;
  }
  return spec;
}

NodeSpec adjusted(NodeSpec node, const TopologyOptions& options, std::vector<std::string>& notes) {
  LinkSpec& link = node.interconnect == Interconnect::pcie ? node.pcie : node.nvlink;
  if (options.link_bandwidth) link.bandwidth.value = *options.link_bandwidth;
  if (options.link_latency) link.latency.value = *options.link_latency;
  if (options.network_bandwidth && node.nics > 0) node.nic.bandwidth.value = *options.network_bandwidth / node.nics;
  if (options.network_latency) node.nic.latency.value = *options.network_latency / 2;  // one end of two
  if (options.nodes_per_leaf) node.nodes_per_leaf = *options.nodes_per_leaf;
  if (options.oversubscription) node.oversubscription = *options.oversubscription;
  if (node.oversubscription > 1 && node.nodes_per_leaf == 0) {
    node.nodes_per_leaf = kUsualNodesPerLeaf;
    notes.push_back(
        fmt::format("leaf switches of {} nodes are assumed; nodes_per_leaf= says otherwise", kUsualNodesPerLeaf));
  }
  return node;
}

bool asks_for_network(const TopologyOptions& options) {
  return options.network_bandwidth || options.network_latency || options.oversubscription || options.nodes_per_leaf;
}

// Picks the `count` accelerators of a node that hang together best: for direct NVLinks, greedily the ones with most
// direct neighbours and then most links to those chosen; else the first.
std::vector<int> best_places(const NodeSpec& node, int count) {
  struct Score {
    std::pair<int, int> value{0, 0};  // direct neighbours among the chosen, links to them
    bool chosen = false;
  };
  std::vector<Score> scores(node.accelerators);
  const auto credit = [&](int place, int links) {
    auto& value = scores[place].value;
    value = {value.first + 1, value.second + links};
  };
  for (int round = 0; round < count; ++round) {
    const auto best = std::max_element(scores.begin(), scores.end(), [](const Score& a, const Score& b) {
      return std::pair(!a.chosen, a.value) < std::pair(!b.chosen, b.value);
    });
    best->chosen = true;
    const int place = static_cast<int>(best - scores.begin());
    for (const auto& pair : node.nvlink_pairs) {
      if (pair.a == place) credit(pair.b, pair.links);
      if (pair.b == place) credit(pair.a, pair.links);
    }
  }
  std::vector<int> places;
  for (int i = 0; i < node.accelerators; ++i)
    if (scores[i].chosen) places.push_back(i);
  return places;
}

// Builds the graph of `nodes` equal nodes, each with its accelerators at `places` (numbers inside the node, ascending)
// in use. Rank = node * places.size() + position in `places`. NICs and network are there only with more than one node.
ClusterGraph node_graph(const NodeSpec& node, const std::vector<int>& places, int nodes) {
  Blueprint blueprint;
  std::vector<NodeParts> all(nodes);
  for (int i = 0; i < nodes; ++i) {
    for (std::size_t k = 0; k < places.size(); ++k)
      all[i].accelerators.push_back(blueprint.add(VertexKind::accelerator, i));
  }
  for (int i = 0; i < nodes; ++i) {
    NodeParts& parts = all[i];
    add_nvlinks(blueprint, node, places, i, parts);
    add_pcie(blueprint, node, places, i, parts);
    if (nodes > 1) add_nics(blueprint, node, i, parts);
  }
  if (nodes > 1) add_network(blueprint, node, all);
  return graph_of(blueprint);
}

}  // namespace

Cluster node_cluster(const Selection& selection, TopologyOptions options, int accelerators) {
  const MachineSpec& machine = selection.machine;
  const auto [nodes, per_node] = allocation(selection, options, accelerators);
  options.put("nodes", std::to_string(nodes));
  options.put("per_node", per_node == machine.node->accelerators ? "" : std::to_string(per_node));
  if (options.accelerator) options.put("accelerator", machine.accelerator.name);

  Cluster cluster;
  cluster.name = options.canonical_name(selection.head);
  cluster.machine = selection.from_catalogue ? machine.name : "";
  cluster.notes = machine.notes;
  cluster.accelerator = limited(machine.accelerator, options);
  if (nodes > 1 && machine.node->nics == 0)
    throw Infeasible(fmt::format("{} has no \"nic\", so it stands alone; at most {} accelerators", selection.head,
                                 machine.node->accelerators));
  NodeSpec node = adjusted(*machine.node, options, cluster.notes);
  if (per_node > node.accelerators) share(node, cluster, per_node);
  cluster.interconnect = node.interconnect;
  cluster.through_host = node.through_host.value.value > 0 ? node.through_host : cluster.accelerator.through_host;
  cluster.graph = node_graph(node, best_places(node, per_node), nodes);
  cluster.nodes = cluster.hosts = nodes;
  cluster.host = node.host;
  cluster.network = node.network;
  cluster.accelerators_per_node = per_node;
  if (nodes == 1 && asks_for_network(options))
    cluster.notes.push_back("one node has no network: the options about it change nothing");
  if (nodes > 1) cluster.node_network = static_cast<double>(node.nics) * node.nic.bandwidth.value;
  cluster.bill = bill_for(machine.bill, nodes * per_node, nodes);
  return cluster;
}

}  // namespace mlsim::topologies
