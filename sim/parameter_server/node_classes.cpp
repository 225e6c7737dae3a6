#include "sim/parameter_server/node_classes.hpp"

#include <numeric>
#include <set>
#include <utility>

#include "topologies/cluster/link_lookup.hpp"

namespace mlsim::sim {
namespace {

std::vector<std::size_t> count_up(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

// Signatures tell nodes apart: the rates of all links that leave their parts, in the builder's order.
std::vector<std::vector<double>> node_signatures(const Cluster& cluster) {
  std::vector<std::vector<double>> signatures(cluster.nodes);
  for (auto [v, end] = boost::vertices(cluster.graph); v != end; ++v) {
    const int node = cluster.graph[*v].node;
    if (node < 0) continue;
    const LinkRange links = links_from(cluster.graph, static_cast<std::uint32_t>(*v));
    auto& signature = signatures[node];
    for (LinkIndex link = links.first; link < links.last; ++link)
      signature.push_back(cluster.link(link).bandwidth.value);
    signature.push_back(-1);
  }
  return signatures;
}

}  // namespace

NodesAndServers all_of(const Cluster& cluster, const ServerPlan& plan) {
  const auto nodes = count_up(static_cast<std::size_t>(cluster.nodes));
  return {nodes, plan.apart > 0 ? count_up(plan.shares.size()) : nodes};
}

NodesAndServers first_of_classes(const Cluster& cluster, const ServerPlan& plan) {
  const auto signatures = node_signatures(cluster);
  const NodesAndServers all = all_of(cluster, plan);
  NodesAndServers first;
  std::set<std::pair<std::vector<double>, double>> node_classes;
  for (const std::size_t node : all.nodes)
    if (node_classes.insert({signatures[node], plan.own_share(node)}).second) first.nodes.push_back(node);
  if (plan.apart == 0) {
    first.servers = first.nodes;
    return first;
  }
  std::set<double> server_classes;
  for (const std::size_t server : all.servers)
    if (server_classes.insert(plan.shares[server]).second) first.servers.push_back(server);
  return first;
}

}  // namespace mlsim::sim
