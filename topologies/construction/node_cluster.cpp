#include "topologies/construction/node_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"
#include "topologies/construction/node_graph.hpp"
#include "topologies/machine/bill.hpp"

namespace mlsim::topologies {
namespace {

constexpr int kUsualNodesPerLeaf = 16;  // where oversubscription is asked of a machine that states no leaves

struct NodeCount {
  int nodes = 1;
  int per_node = 1;
};

int most_nodes(const TopologyOptions& options, int per_node) {
  return options.nodes ? *options.nodes : kMostNodeAccelerators / per_node;
}

/// Counts the nodes, and how many of their accelerators are used.
NodeCount allocation(const Selection& selection, const TopologyOptions& options, int accelerators) {
  const int installed = selection.machine.node->accelerators;
  const int per_node = options.per_node.value_or(installed);
  if (per_node > installed)
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
  cluster.accelerator = machine.accelerator;
  if (nodes > 1 && machine.node->nics == 0)
    throw Infeasible(fmt::format("{} has no \"nic\", so it stands alone; at most {} accelerators", selection.head,
                                 machine.node->accelerators));
  const NodeSpec node = adjusted(*machine.node, options, cluster.notes);
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
