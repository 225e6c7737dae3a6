#include "sim/parameter_server/server_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/errors.hpp"
#include "sim/parameter_server/node_classes.hpp"

namespace mlsim::sim {
namespace {

constexpr std::uint64_t kMostFlows = 4'000'000;

using RouteLinks = HostLinks::RouteLinks;

RouteLinks joined(RouteLinks route, const RouteLinks& rest) {
  route.insert(route.end(), rest.begin(), rest.end());
  return route;
}

class TrafficBuilder {
 public:
  /// With `pairs` a flow goes from each node to each server, else one flow carries all that leaves or enters each.
  TrafficBuilder(const Cluster& cluster, const ServerPlan& plan, const LinkEfficiency& efficiency, bool push,
                 bool pairs)
      : cluster_(cluster),
        plan_(plan),
        push_(push),
        pairs_(pairs),
        hosts_(host_links(cluster)),
        forth_(push ? hosts_ : turned_round(hosts_)),
        shown_(pairs ? all_of(cluster, plan) : first_of_classes(cluster, plan)),
        writer_(cluster, efficiency) {}

  ServerTraffic traffic() {
    if (plan_.on_accelerators(workers()))
      add_box_of_accelerators();
    else if (push_)
      add_push();
    else
      add_pull();
    return writer_.take();
  }

 private:
  int workers() const { return cluster_.nodes; }
  double accelerators() const { return cluster_.accelerators_per_node; }

  void add_push() {
    const bool sums = plan_.sums_on_accelerators();
    if (sums) add_peers("gradients among the accelerators");
    add_host_copies("gradients to the host", sums, !sums);
    add_network("gradients to the servers");
    writer_.begin_phase("sums and updates on the servers");
    for (const std::size_t server : shown_.servers) add_update(server);
  }

  void add_pull() {
    add_network("variables from the servers");
    add_host_copies("variables to the accelerators", plan_.keeps_parts(), false);
    if (plan_.keeps_parts()) add_peers("variables among the accelerators");
  }

  void add_box_of_accelerators() {
    writer_.begin_phase(push_ ? "gradients to the accelerators that hold the variables"
                              : "variables from other accelerators");
    const HostLinks::Node& box = hosts_.nodes.front();
    const std::size_t ranks = box.ranks.size();
    for (std::size_t worker = 0; worker < ranks; ++worker)
      for (std::size_t server = 0; server < ranks; ++server)
        if (worker != server) {
          const auto [from, to] = push_ ? std::pair(worker, server) : std::pair(server, worker);
          add_peer(box, from, to, plan_.share(server));
        }
    if (!push_) return;
    writer_.begin_phase("sums and updates on the accelerators");
    for (std::size_t server = 0; server < ranks; ++server)
      writer_.add({}, {writer_.own_link(cluster_.accelerator.memory_bandwidth.value)},
                  plan_.share(server) * (static_cast<double>(ranks) + 1), Seconds(0));
  }

  void add_peer(const HostLinks::Node& node, std::size_t from, std::size_t to, double share) {
    const RouteLinks route = peer_route(cluster_, node, from, to);
    writer_.add(route, {}, share, writer_.route_cost().latency(route));
  }

  void add_peers(const std::string& name) {
    writer_.begin_phase(name);
    for (const std::size_t node : shown_.nodes) {
      const HostLinks::Node& each = hosts_.nodes[node];
      for (std::size_t from = 0; from < each.ranks.size(); ++from)
        for (std::size_t to = 0; to < each.ranks.size(); ++to)
          if (from != to) add_peer(each, from, to, 1 / accelerators());
    }
  }

  // With `parts` each accelerator copies its part of all; with `sums` the host adds up what comes, unless a gradient
  // has no other to be added to.
  void add_host_copies(const std::string& name, bool parts, bool sums) {
    writer_.begin_phase(name);
    for (const std::size_t number : shown_.nodes) {
      const HostLinks::Node& node = forth_.nodes[number];
      std::vector<std::uint32_t> sum;
      if (sums && node.ranks.size() > 1) sum.push_back(sum_link(number));
      for (const RouteLinks& route : node.to_host)
        writer_.add(route, sum, parts ? 1 / accelerators() : 1, writer_.route_cost().latency(route));
    }
  }

  // A host adds up everything one after another; servers that stand apart are hosts behind those of the nodes.
  std::uint32_t sum_link(std::size_t host) {
    const auto known = sum_links_.find(host);
    return known != sum_links_.end() ? known->second : sum_links_[host] = writer_.own_link(plan_.rates.sum);
  }

  // The update reads and writes the variables once, and once more for each gradient where several come in.
  void add_update(std::size_t server) {
    const double gradients = workers() > 1 ? workers() : 0;
    const std::size_t host = plan_.apart > 0 ? hosts_.nodes.size() + server : server;
    writer_.add({}, {sum_link(host)}, plan_.share(server) * (gradients + 1), Seconds(0));
  }

  void add_network(const std::string& name) {
    if (!plan_.has_network(workers())) return;
    writer_.begin_phase(name);
    if (pairs_)
      add_pairs();
    else
      add_ends();
  }

  // Crossing the network costs this once, besides its bytes.
  Seconds network_latency() const {
    const HostLinks::Node& first = hosts_.nodes.front();
    Seconds wait = writer_.route_cost().latency(joined(first.out, first.in));
    if (plan_.keeps_parts()) wait += static_cast<double>(plan_.tensors) * plan_.rates.gpu_tensor;
    return wait;
  }

  // The link is a process on a server; the network card of one that stands apart is as quick as the nodes' own.
  std::uint32_t server_link() {
    const BytesPerSecond rpc = plan_.rates.rpc;
    return writer_.own_link(plan_.apart > 0 ? writer_.route_cost().rate(hosts_.nodes.front().in, rpc) : rpc);
  }

  void add_pairs() {
    const auto& [nodes, servers] = shown_;
    if (nodes.size() * servers.size() > kMostFlows)
      throw Infeasible(fmt::format("{} nodes and {} servers make more than 4 million flows; --fidelity folded has few",
                                   nodes.size(), servers.size()));
    std::vector<std::uint32_t> worker_rpc, server_rpc;
    for (std::size_t i = 0; i < nodes.size(); ++i) worker_rpc.push_back(writer_.own_link(plan_.rates.rpc));
    for (std::size_t i = 0; i < servers.size(); ++i) server_rpc.push_back(server_link());
    for (const std::size_t worker : nodes) {
      for (const std::size_t server : servers) {
        if (plan_.apart == 0 && worker == server) continue;
        const RouteLinks route =
            plan_.apart > 0 ? joined(forth_.nodes[worker].out, leaf_of(worker).up) : between(worker, server);
        writer_.add(route, {worker_rpc[worker], server_rpc[server]}, plan_.share(server), network_latency());
      }
    }
  }

  const HostLinks::Leaf& leaf_of(std::size_t node) const { return forth_.leaves[forth_.nodes[node].leaf]; }

  RouteLinks between(std::size_t worker, std::size_t server) const {
    const HostLinks::Node &from = forth_.nodes[worker], &to = forth_.nodes[server];
    if (from.leaf == to.leaf) return joined(from.out, to.in);
    return joined(joined(joined(from.out, leaf_of(worker).up), leaf_of(server).down), to.in);
  }

  void add_ends() {
    for (const std::size_t node : shown_.nodes)
      writer_.add(forth_.nodes[node].out, {writer_.own_link(plan_.rates.rpc)}, 1 - plan_.own_share(node),
                  network_latency());
    const double readers = plan_.apart > 0 ? workers() : workers() - 1;
    for (const std::size_t server : shown_.servers)
      writer_.add(plan_.apart > 0 ? RouteLinks{} : forth_.nodes[server].in, {server_link()},
                  readers * plan_.share(server), network_latency());
    if (forth_.leaves.size() > 1) add_leaves();
  }

  void add_leaves() {
    struct Load {
      double workers = 0, share = 0;
    };
    std::vector<Load> loads(forth_.leaves.size());
    for (std::size_t i = 0; i < forth_.nodes.size(); ++i) {
      Load& load = loads[forth_.nodes[i].leaf];
      load.workers += 1;
      load.share += plan_.own_share(i);
    }
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const auto& [up, down] = forth_.leaves[i];
      writer_.add(up, {}, loads[i].workers * (1 - loads[i].share), network_latency());
      writer_.add(down, {}, loads[i].share * (workers() - loads[i].workers), network_latency());
    }
  }

  const Cluster& cluster_;
  const ServerPlan& plan_;
  bool push_, pairs_;
  HostLinks hosts_;
  HostLinks forth_;  // from the accelerators to the servers in a push, in a pull the other way round
  NodesAndServers shown_;
  TrafficWriter writer_;
  std::map<std::size_t, std::uint32_t> sum_links_;  // by host
};

}  // namespace

ServerTraffic full_traffic(const Cluster& cluster, const ServerPlan& plan, const LinkEfficiency& efficiency,
                           CollectiveKind kind) {
  return TrafficBuilder(cluster, plan, efficiency, kind == CollectiveKind::parameter_push, true).traffic();
}

ServerTraffic folded_traffic(const Cluster& cluster, const ServerPlan& plan, const LinkEfficiency& efficiency,
                             CollectiveKind kind) {
  return TrafficBuilder(cluster, plan, efficiency, kind == CollectiveKind::parameter_push, false).traffic();
}

TrafficWriter::TrafficWriter(const Cluster& cluster, const LinkEfficiency& efficiency)
    : route_cost_(cluster, efficiency) {}

void TrafficWriter::begin_phase(const std::string& name) { traffic_.phases.push_back({name, {}}); }

void TrafficWriter::add(const HostLinks::RouteLinks& route, const std::vector<std::uint32_t>& others, double share,
                        Seconds latency) {
  if (share <= 0) return;
  ProgramFlow flow;
  for (const LinkIndex link : route) flow.links.push_back(number(link));
  flow.links.insert(flow.links.end(), others.begin(), others.end());
  flow.share = share;
  flow.latency = latency;
  traffic_.phases.back().flows.push_back(std::move(flow));
}

std::uint32_t TrafficWriter::own_link(BytesPerSecond rate) {
  traffic_.links.push_back(rate);
  return static_cast<std::uint32_t>(traffic_.links.size() - 1);
}

std::uint32_t TrafficWriter::number(LinkIndex link) {
  const auto [place, fresh] = number_.try_emplace(link, static_cast<std::uint32_t>(traffic_.links.size()));
  if (fresh) traffic_.links.push_back(route_cost_.rate(link));
  return place->second;
}

}  // namespace mlsim::sim
