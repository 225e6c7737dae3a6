#include "sim/parameter_server/server_cost.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/parameter_server/host_links.hpp"

namespace mlsim::sim {

class ServerCost::Counter {
 public:
  Counter(const Cluster& cluster, const ServerPlan& plan, const LinkEfficiency& efficiency, bool push)
      : cluster_(cluster), plan_(plan), efficiency_(efficiency), push_(push), hosts_(host_links(cluster)) {}

  std::vector<Phase> phases() {
    const bool spread = push_ ? plan_.sums_on_accelerators() : keeps_parts();
    const double part = spread ? 1 / accelerators() : 1;
    if (plan_.on_accelerators(cluster_.nodes)) {
      peers([&](std::size_t from, std::size_t to) { return share(push_ ? to : from); });
      if (push_) update_on_accelerators();
      return phases_;
    }
    if (push_ && spread) peers([&](std::size_t, std::size_t) { return part; });
    if (!push_ && networked()) network();
    copies(part, push_ && !spread && accelerators() > 1);
    if (push_ && networked()) network();
    if (push_) update();
    if (!push_ && spread) peers([&](std::size_t, std::size_t) { return part; });
    return phases_;
  }

 private:
  using Way = HostLinks::Way;

  double accelerators() const { return cluster_.accelerators_per_node; }
  double share(std::size_t server) const { return server < plan_.shares.size() ? plan_.shares[server] : 0; }
  bool networked() const { return cluster_.nodes > 1 || plan_.apart > 0; }
  bool keeps_parts() const {
    return plan_.update == ServerPlan::Update::parameter_server && plan_.device == ServerPlan::Device::gpu;
  }
  BytesPerSecond rate(LinkIndex link) const {
    return efficiency_[cluster_.link(link).kind].share * cluster_.link(link).bandwidth;
  }
  BytesPerSecond least_rate(const Way& way, BytesPerSecond least) const {
    for (const LinkIndex link : way) least = min(least, rate(link));
    return least;
  }

  void wait(const Way& way, Seconds& alpha) const {
    Seconds latency, software;
    for (const LinkIndex link : way) {
      latency += cluster_.link(link).latency;
      software = max(software, efficiency_[cluster_.link(link).kind].message);
    }
    alpha = max(alpha, latency + software);
  }

  // Loads of one phase, and the longest latency in it.
  struct Loads {
    std::map<LinkIndex, double> share;
    Seconds alpha;
  };
  void load(Loads& loads, const Way& way, double share) const {
    if (share <= 0) return;
    for (const LinkIndex link : way) loads.share[link] += share;
    wait(way, loads.alpha);
  }
  Phase slowest(const Loads& loads) const {
    Phase phase{loads.alpha, {}};
    for (const auto& [link, share] : loads.share) phase.beta = max(phase.beta, share / rate(link));
    return phase;
  }

  template <class Share>
  void peers(Share share_of) {
    Loads loads;
    for (const auto& node : hosts_.nodes) {
      for (std::size_t from = 0; from < node.ranks.size(); ++from)
        for (std::size_t to = 0; to < node.ranks.size(); ++to)
          if (from != to) load(loads, peer_way(cluster_, node, from, to), share_of(from, to));
    }
    phases_.push_back(slowest(loads));
  }

  void copies(double part, bool sums) {
    Loads loads;
    for (const auto& node : hosts_.nodes)
      for (const Way& way : push_ ? node.to_host : node.from_host) load(loads, way, part);
    Phase phase = slowest(loads);
    if (sums) phase.beta = max(phase.beta, accelerators() / plan_.rates.sum);
    phases_.push_back(phase);
  }

  void network() {
    Phase phase;
    const auto& nodes = hosts_.nodes;
    Way across = nodes.front().out;
    across.insert(across.end(), nodes.front().in.begin(), nodes.front().in.end());
    wait(across, phase.alpha);
    if (keeps_parts()) phase.alpha += static_cast<double>(plan_.tensors) * plan_.rates.gpu_tensor;
    const bool apart = plan_.apart > 0;
    std::vector<double> held(hosts_.leaves.size()), workers(hosts_.leaves.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const double own = apart ? 0 : share(i);
      const auto& leaving = push_ ? nodes[i].out : nodes[i].in;
      const auto& arriving = push_ ? nodes[i].in : nodes[i].out;
      phase.beta = max(phase.beta, (1 - own) / least_rate(leaving, plan_.rates.rpc));
      phase.beta = max(phase.beta, (cluster_.nodes - 1) * own / least_rate(arriving, plan_.rates.rpc));
      held[nodes[i].leaf] += own;
      workers[nodes[i].leaf] += 1;
    }
    if (apart)
      phase.beta = max(phase.beta, cluster_.nodes * *std::max_element(plan_.shares.begin(), plan_.shares.end()) /
                                       least_rate(nodes.front().in, plan_.rates.rpc));
    for (std::size_t i = 0; i < hosts_.leaves.size() && hosts_.leaves.size() > 1; ++i) {
      const auto& [up, down] = hosts_.leaves[i];
      phase.beta = max(phase.beta, workers[i] * (1 - held[i]) / rate((push_ ? up : down).front()));
      phase.beta = max(phase.beta, (cluster_.nodes - workers[i]) * held[i] / rate((push_ ? down : up).front()));
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
  const LinkEfficiency& efficiency_;
  bool push_;
  HostLinks hosts_;
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
