#include "sim/parameter_server/server_cost.hpp"

#include <algorithm>
#include <map>

#include "sim/parameter_server/host_links.hpp"

namespace mlsim::sim {

class ServerCost::Counter {
 public:
  Counter(const Cluster& cluster, const ServerPlan& plan, const LinkEfficiency& efficiency, bool push)
      : cluster_(cluster),
        plan_(plan),
        route_cost_(cluster, efficiency),
        push_(push),
        hosts_(host_links(cluster)),
        forth_(push ? hosts_ : turned_round(hosts_)) {}

  std::vector<Phase> phases() {
    if (plan_.on_accelerators(cluster_.nodes))
      box_of_accelerators();
    else if (push_)
      push();
    else
      pull();
    return phases_;
  }

 private:
  using RouteLinks = HostLinks::RouteLinks;

  double accelerators() const { return cluster_.accelerators_per_node; }
  double part(bool spread) const { return spread ? 1 / accelerators() : 1; }

  void box_of_accelerators() {
    peers([&](std::size_t from, std::size_t to) { return plan_.share(push_ ? to : from); });
    if (push_) update_on_accelerators();
  }

  void push() {
    const bool sums = plan_.sums_on_accelerators();
    if (sums) peers([&](std::size_t, std::size_t) { return part(true); });
    copies(part(sums), !sums && accelerators() > 1);
    if (plan_.has_network(cluster_.nodes)) network();
    update();
  }

  void pull() {
    if (plan_.has_network(cluster_.nodes)) network();
    copies(part(plan_.keeps_parts()), false);
    if (plan_.keeps_parts()) peers([&](std::size_t, std::size_t) { return part(true); });
  }

  // Loads are the shares on the links in one phase, and the longest latency in it.
  struct Loads {
    std::map<LinkIndex, double> share;
    Seconds alpha;
  };
  void load(Loads& loads, const RouteLinks& route, double share) const {
    if (share <= 0) return;
    for (const LinkIndex link : route) loads.share[link] += share;
    loads.alpha = max(loads.alpha, route_cost_.latency(route));
  }
  Phase slowest(const Loads& loads) const {
    Phase phase{loads.alpha, {}};
    for (const auto& [link, share] : loads.share) phase.beta = max(phase.beta, share / route_cost_.rate(link));
    return phase;
  }

  template <class Share>
  void peers(Share share_of) {
    Loads loads;
    for (const auto& node : hosts_.nodes) {
      for (std::size_t from = 0; from < node.ranks.size(); ++from)
        for (std::size_t to = 0; to < node.ranks.size(); ++to)
          if (from != to) load(loads, peer_route(cluster_, node, from, to), share_of(from, to));
    }
    phases_.push_back(slowest(loads));
  }

  void copies(double part, bool sums) {
    Loads loads;
    for (const auto& node : forth_.nodes)
      for (const RouteLinks& route : node.to_host) load(loads, route, part);
    Phase phase = slowest(loads);
    if (sums) phase.beta = max(phase.beta, accelerators() / plan_.rates.sum);
    phases_.push_back(phase);
  }

  void network() {
    const auto& nodes = forth_.nodes;
    const HostLinks::Node& first = hosts_.nodes.front();
    RouteLinks across = first.out;
    across.insert(across.end(), first.in.begin(), first.in.end());
    Phase phase{route_cost_.latency(across), {}};
    if (plan_.keeps_parts()) phase.alpha += static_cast<double>(plan_.tensors) * plan_.rates.gpu_tensor;
    std::vector<double> held(hosts_.leaves.size()), workers(hosts_.leaves.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const double own = plan_.own_share(i);
      phase.beta = max(phase.beta, (1 - own) / route_cost_.rate(nodes[i].out, plan_.rates.rpc));
      phase.beta = max(phase.beta, (cluster_.nodes - 1) * own / route_cost_.rate(nodes[i].in, plan_.rates.rpc));
      held[nodes[i].leaf] += own;
      workers[nodes[i].leaf] += 1;
    }
    if (plan_.apart > 0)
      phase.beta = max(phase.beta, cluster_.nodes * *std::max_element(plan_.shares.begin(), plan_.shares.end()) /
                                       route_cost_.rate(first.in, plan_.rates.rpc));
    for (std::size_t i = 0; i < forth_.leaves.size() && forth_.leaves.size() > 1; ++i) {
      const auto& [up, down] = forth_.leaves[i];
      phase.beta = max(phase.beta, workers[i] * (1 - held[i]) / route_cost_.rate(up.front()));
      phase.beta = max(phase.beta, (cluster_.nodes - workers[i]) * held[i] / route_cost_.rate(down.front()));
    }
    phases_.push_back(phase);
  }

  void update() {
    const double gradients = cluster_.nodes > 1 ? cluster_.nodes : 0;
    const double most = *std::max_element(plan_.shares.begin(), plan_.shares.end());
    phases_.push_back({Seconds(0), most * (gradients + 1) / plan_.rates.sum});
  }

  void update_on_accelerators() {
    const double most = *std::max_element(plan_.shares.begin(), plan_.shares.end());
    phases_.push_back({Seconds(0), most * (accelerators() + 1) / cluster_.accelerator.memory_bandwidth.value});
  }

  const Cluster& cluster_;
  const ServerPlan& plan_;
  RouteCost route_cost_;
  bool push_;
  HostLinks hosts_;
  HostLinks forth_;  // from the accelerators to the servers in a push, in a pull the other way round
  std::vector<Phase> phases_;
};

ServerCost::ServerCost(const Cluster& cluster, const ServerPlan& plan, const LinkEfficiency& efficiency,
                       CollectiveKind kind)
    : phases_(Counter(cluster, plan, efficiency, kind == CollectiveKind::parameter_push).phases()) {}

Seconds ServerCost::time(Bytes bytes) const {
  Seconds sum;
  for (const Phase& phase : phases_) sum += phase.alpha + phase.beta * bytes;
  return sum;
}

}  // namespace mlsim::sim
