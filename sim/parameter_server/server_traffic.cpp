#include "sim/parameter_server/server_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/errors.hpp"
#include "topologies/link_lookup.hpp"

namespace mlsim::sim {
namespace {

constexpr std::uint64_t kMostFlows = 4'000'000;

using Way = HostLinks::Way;

Way joined(Way way, const Way& rest) {
  way.insert(way.end(), rest.begin(), rest.end());
  return way;
}

// Numbers that tell nodes apart: the rates of all links that leave their parts, in the builder's order.
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

// The first of each class, and how the class is told apart.
template <class Key>
class Classes {
 public:
  bool is_first(Key key) { return seen_.insert({std::move(key), true}).second; }

 private:
  std::map<Key, bool> seen_;
};

class TrafficBuilder {
 public:
  TrafficBuilder(const Cluster& cluster, const ServerPlan& plan, const LinkEfficiency& efficiency, bool push)
      : cluster_(cluster), plan_(plan), efficiency_(efficiency), push_(push), hosts_(host_links(cluster)) {
    sum_link_.resize(hosts_.nodes.size(), kNone);
    for (std::size_t i = 0; i < hosts_.nodes.size(); ++i) all_.push_back(i);
  }

  ServerTraffic full() {
    nodes_ = servers_ = all_;
    if (plan_.apart > 0) number_servers();
    build([this] { add_pairs(); });
    return std::move(traffic_);
  }

  ServerTraffic folded() {
    const auto signatures = node_signatures(cluster_);
    Classes<std::pair<std::vector<double>, double>> classes;
    for (const std::size_t i : all_)
      if (classes.is_first({signatures[i], own_share(i)})) nodes_.push_back(i);
    Classes<double> server_classes;
    if (plan_.apart > 0) {
      for (std::size_t j = 0; j < plan_.shares.size(); ++j)
        if (server_classes.is_first(plan_.shares[j])) servers_.push_back(j);
    } else {
      servers_ = nodes_;
    }
    build([this] { add_ends(); });
    return std::move(traffic_);
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  int workers() const { return cluster_.nodes; }
  double accelerators() const { return cluster_.accelerators_per_node; }
  bool has_network() const { return workers() > 1 || plan_.apart > 0; }
  double own_share(std::size_t node) const { return plan_.apart > 0 ? 0 : share(node); }
  double share(std::size_t server) const { return server < plan_.shares.size() ? plan_.shares[server] : 0; }

  void number_servers() {
    servers_.clear();
    for (std::size_t j = 0; j < plan_.shares.size(); ++j) servers_.push_back(j);
  }

  template <class Network>
  void build(Network network) {
    if (plan_.on_accelerators(workers())) return add_box_of_accelerators();
    if (push_) {
      if (plan_.sums_on_accelerators()) add_peers("gradients among the accelerators");
      begin("gradients to the host");
      for (const std::size_t node : nodes_) add_host_copies(node);
      if (has_network()) {
        begin("gradients to the servers");
        network();
      }
      begin("sums and updates on the servers");
      for (const std::size_t server : servers_) add_update(server);
    } else {
      if (has_network()) {
        begin("variables from the servers");
        network();
      }
      begin("variables to the accelerators");
      for (const std::size_t node : nodes_) add_host_copies(node);
      if (shared_out()) add_peers("variables among the accelerators");
    }
  }

  // Each accelerator carries 1/g of the variables between its host and itself, and its neighbours have the rest.
  bool shared_out() const {
    return plan_.update == ServerPlan::Update::parameter_server && plan_.device == ServerPlan::Device::gpu;
  }

  void begin(const std::string& name) { traffic_.phases.push_back({name, {}}); }

  std::uint32_t number(LinkIndex link) {
    const auto [place, fresh] = number_.try_emplace(link, static_cast<std::uint32_t>(traffic_.links.size()));
    if (fresh) {
      const Link& each = cluster_.link(link);
      traffic_.links.push_back(efficiency_[each.kind].share * each.bandwidth);
    }
    return place->second;
  }

  std::uint32_t own_link(BytesPerSecond rate) {
    traffic_.links.push_back(rate);
    return static_cast<std::uint32_t>(traffic_.links.size() - 1);
  }

  // Gradients that a host adds up, all of them one after another.
  std::uint32_t sum_link(std::size_t node) {
    sum_link_.resize(std::max(sum_link_.size(), node + 1), kNone);
    if (sum_link_[node] == kNone) sum_link_[node] = own_link(plan_.rates.sum);
    return sum_link_[node];
  }

  Seconds latency(const Way& way) const {
    Seconds sum, software;
    for (const LinkIndex link : way) {
      sum += cluster_.link(link).latency;
      software = max(software, efficiency_[cluster_.link(link).kind].message);
    }
    return sum + software;
  }

  void add(const Way& way, std::vector<std::uint32_t> others, double share, Seconds wait) {
    if (share <= 0) return;
    ProgramFlow flow;
    for (const LinkIndex link : way) flow.links.push_back(number(link));
    flow.links.insert(flow.links.end(), others.begin(), others.end());
    flow.share = share;
    flow.latency = wait;
    traffic_.phases.back().flows.push_back(std::move(flow));
  }

  void add_peer(const HostLinks::Node& node, std::size_t from, std::size_t to, double share) {
    const Way way = peer_way(cluster_, node, from, to);
    add(way, {}, share, latency(way));
  }

  void add_peers(const std::string& name) {
    begin(name);
    for (const std::size_t node : nodes_) {
      const HostLinks::Node& each = hosts_.nodes[node];
      for (std::size_t from = 0; from < each.ranks.size(); ++from)
        for (std::size_t to = 0; to < each.ranks.size(); ++to)
          if (from != to) add_peer(each, from, to, 1 / accelerators());
    }
  }

  // A gradient that has no other to be added to takes no sum.
  void add_host_copies(std::size_t number) {
    const HostLinks::Node& node = hosts_.nodes[number];
    const bool parts = push_ ? plan_.sums_on_accelerators() : shared_out();
    const bool sums = push_ && !parts && node.ranks.size() > 1;
    for (std::size_t i = 0; i < node.ranks.size(); ++i) {
      const Way& way = push_ ? node.to_host[i] : node.from_host[i];
      add(way, sums ? std::vector{sum_link(number)} : std::vector<std::uint32_t>{}, parts ? 1 / accelerators() : 1,
          latency(way));
    }
  }

  // One read and write of the variables for the update, and one for each gradient where several come in.
  void add_update(std::size_t server) {
    const double gradients = workers() > 1 ? workers() : 0;
    const std::size_t link = plan_.apart > 0 ? hosts_.nodes.size() + server : server;
    add({}, {sum_link(link)}, share(server) * (gradients + 1), Seconds(0));
  }

  void add_box_of_accelerators() {
    begin(push_ ? "gradients to the accelerators that hold the variables" : "variables from other accelerators");
    const HostLinks::Node& box = hosts_.nodes.front();
    const std::size_t ranks = box.ranks.size();
    for (std::size_t worker = 0; worker < ranks; ++worker)
      for (std::size_t server = 0; server < ranks; ++server)
        if (worker != server)
          push_ ? add_peer(box, worker, server, share(server)) : add_peer(box, server, worker, share(server));
    if (!push_) return;
    begin("sums and updates on the accelerators");
    for (std::size_t server = 0; server < ranks; ++server)
      add({}, {own_link(cluster_.accelerator.memory_bandwidth.value)}, share(server) * (static_cast<double>(ranks) + 1),
          Seconds(0));
  }

  // Beside its bytes, what crossing the network costs once.
  Seconds network_latency() const {
    Seconds wait = latency(joined(hosts_.nodes.front().out, hosts_.nodes.front().in));
    if (shared_out()) wait += static_cast<double>(plan_.tensors) * plan_.rates.gpu_tensor;
    return wait;
  }

  const Way& leaving(const HostLinks::Node& node) const { return push_ ? node.out : node.in; }
  const Way& arriving(const HostLinks::Node& node) const { return push_ ? node.in : node.out; }
  // The network card of a server that stands apart is as quick as the nodes' own.
  BytesPerSecond apart_rate() const {
    BytesPerSecond least = plan_.rates.rpc;
    for (const LinkIndex link : hosts_.nodes.front().in)
      least = std::min(least, efficiency_[cluster_.link(link).kind].share * cluster_.link(link).bandwidth);
    return least;
  }

  void add_pairs() {
    if (nodes_.size() * servers_.size() > kMostFlows)
      throw Infeasible(fmt::format("{} nodes and {} servers make more than 4 million flows; --fidelity folded has few",
                                   nodes_.size(), servers_.size()));
    std::vector<std::uint32_t> worker_rpc, server_rpc;
    for (std::size_t i = 0; i < nodes_.size(); ++i) worker_rpc.push_back(own_link(plan_.rates.rpc));
    for (std::size_t i = 0; i < servers_.size(); ++i)
      server_rpc.push_back(own_link(plan_.apart > 0 ? apart_rate() : plan_.rates.rpc));
    for (const std::size_t worker : nodes_) {
      for (const std::size_t server : servers_) {
        const std::vector<std::uint32_t> processes{worker_rpc[worker], server_rpc[server]};
        if (plan_.apart > 0) {
          const HostLinks::Leaf& leaf = leaf_of(worker);
          add(joined(leaving(hosts_.nodes[worker]), push_ ? leaf.up : leaf.down), processes, share(server),
              network_latency());
        } else if (worker != server) {
          add(way_between(worker, server), processes, share(server), network_latency());
        }
      }
    }
  }

  const HostLinks::Leaf& leaf_of(std::size_t node) const { return hosts_.leaves[hosts_.nodes[node].leaf]; }

  Way way_between(std::size_t worker, std::size_t server) const {
    Way way = leaving(hosts_.nodes[worker]);
    if (hosts_.nodes[worker].leaf != hosts_.nodes[server].leaf) {
      way = joined(way, push_ ? leaf_of(worker).up : leaf_of(worker).down);
      way = joined(way, push_ ? leaf_of(server).down : leaf_of(server).up);
    }
    return joined(way, arriving(hosts_.nodes[server]));
  }

  void add_ends() {
    for (const std::size_t node : nodes_)
      add(leaving(hosts_.nodes[node]), {own_link(plan_.rates.rpc)}, 1 - own_share(node), network_latency());
    const double readers = plan_.apart > 0 ? workers() : workers() - 1;
    for (const std::size_t server : servers_) {
      if (plan_.apart > 0)
        add({}, {own_link(apart_rate())}, readers * share(server), network_latency());
      else
        add(arriving(hosts_.nodes[server]), {own_link(plan_.rates.rpc)}, readers * share(server), network_latency());
    }
    if (hosts_.leaves.size() > 1) add_leaves();
  }

  void add_leaves() {
    struct Load {
      double workers = 0, share = 0;
    };
    std::vector<Load> loads(hosts_.leaves.size());
    for (const std::size_t i : all_) {
      Load& load = loads[hosts_.nodes[i].leaf];
      load.workers += 1;
      load.share += own_share(i);
    }
    for (std::size_t i = 0; i < loads.size(); ++i) {
      const HostLinks::Leaf& leaf = hosts_.leaves[i];
      add(push_ ? leaf.up : leaf.down, {}, loads[i].workers * (1 - loads[i].share), network_latency());
      add(push_ ? leaf.down : leaf.up, {}, loads[i].share * (workers() - loads[i].workers), network_latency());
    }
  }

  const Cluster& cluster_;
  const ServerPlan& plan_;
  const LinkEfficiency& efficiency_;
  bool push_;
  HostLinks hosts_;
  std::vector<std::size_t> all_, nodes_, servers_;  // `nodes_` and `servers_`: those that stand for their classes
  std::map<LinkIndex, std::uint32_t> number_;
  std::vector<std::uint32_t> sum_link_;  // by node, then by server that stands apart
  ServerTraffic traffic_;
};

}  // namespace

ServerTraffic full_traffic(const Cluster& cluster, const ServerPlan& plan, const LinkEfficiency& efficiency,
                           CollectiveKind kind) {
  return TrafficBuilder(cluster, plan, efficiency, kind == CollectiveKind::parameter_push).full();
}

ServerTraffic folded_traffic(const Cluster& cluster, const ServerPlan& plan, const LinkEfficiency& efficiency,
                             CollectiveKind kind) {
  return TrafficBuilder(cluster, plan, efficiency, kind == CollectiveKind::parameter_push).folded();
}

}  // namespace mlsim::sim
