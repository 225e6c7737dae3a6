#include "sim/collectives/nccl/choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "costs/nccl_tuner_table.hpp"

namespace mlsim::sim {
namespace {

// NICs count 12 of 12.5 GB/s (topo.h, NET_BW of 100 Gbit/s), PCIe slots 12 of 15.75 (PCI_BW of 3.0 x16).
constexpr double kNicShare = 0.96, kPcieShare = 12 / 15.75;

// A `Tuner` computes in the source's own units: us and GB/s.
class Tuner {
 public:
  Tuner(const NcclSystem& system, CollectiveKind kind, Bytes bytes)
      : system_(system),
        kind_(kind),
        bytes_(bytes.value),
        ranks_(system.ranks()),
        generation_(static_cast<std::size_t>(system.generation)),
        by_nodes_(system.nodes <= 2 ? static_cast<std::size_t>(system.nodes - 1) : 2) {}

  std::vector<NcclEstimate> estimates() const {
    std::vector<NcclEstimate> all;
    for (const auto protocol : {NcclProtocol::ll, NcclProtocol::ll128, NcclProtocol::simple}) {
      if (protocol == NcclProtocol::ll128 && !allows_ll128(system_)) continue;
      all.push_back({{NcclAlgorithm::ring, protocol}, ring(protocol)});
      if (all_reduce()) all.push_back({{NcclAlgorithm::tree, protocol}, tree(protocol)});
    }
    if (!has_nvls(system_)) return all;
    if (system_.nodes == 1) all.push_back({{NcclAlgorithm::nvls, NcclProtocol::simple}, nvls()});
    if (system_.nodes > 1 && all_reduce())
      all.push_back({{NcclAlgorithm::nvls_tree, NcclProtocol::simple}, nvls_tree()});
    return all;
  }

 private:
  bool all_reduce() const { return kind_ == CollectiveKind::all_reduce; }

  Seconds time(double latency, double rate) const { return microseconds(latency + bytes_ / (1000 * rate)); }

  // These are what all channels of a node reach together, inside it and out of it.
  double inside() const {
    if (system_.ranks_per_node == 1) return std::numeric_limits<double>::infinity();
    if (!system_.nvlink) return kPcieShare * system_.inside.value / 1e9;
    return system_.channels * table_.channel_rate[generation_];
  }
  double network() const { return kNicShare * system_.network.value / 1e9; }
  double between() const { return system_.nodes == 1 ? inside() : std::min(inside(), network()); }

  // On several nodes the tuner looks up LL's rate by the vendor of the CPUs.
  double ll_rate() const {
    if (system_.nodes == 1) return table_.ll_rate[generation_][by_nodes_];
    const auto row = system_.amd_host ? GpuGeneration::ampere : GpuGeneration::volta;
    return table_.ll_rate[static_cast<std::size_t>(row)][by_nodes_];
  }

  // Gives a hop between nodes; with one GPU a node the ring's are as exposed as a tree's.
  double network_hop(std::size_t p, bool ring) const {
    return ring && system_.ranks_per_node > 1 ? table_.ring_network[p] : table_.tree_network[p];
  }

  Seconds ring(NcclProtocol protocol) const {
    const auto p = static_cast<std::size_t>(protocol);
    double rate = between();
    if (protocol == NcclProtocol::ll) rate = std::min(ll_rate(), rate / 2);
    if (protocol == NcclProtocol::ll128)
      rate = std::min(0.92 * rate, system_.channels * table_.ring_ll128_rate[generation_][by_nodes_]);
    const int passes = all_reduce() ? 2 : 1;
    const int steps = passes * (ranks_ - 1), outside = passes * (system_.nodes - 1);
    double hop = system_.nvlink ? table_.ring_nvlink[p] : table_.ring_pcie[p];
    // Posting a network request takes 1 us on Intel's hosts, 2 on AMD's; Simple posts three.
    const double posting = (system_.amd_host ? 2.0 : 1.0) * (protocol == NcclProtocol::simple ? 3 : 1);
    if (system_.nodes > 1) hop = std::max(hop, posting);
    double latency = table_.ring_base[p] + (steps - outside) * hop + outside * network_hop(p, true);
    // NCCL's source calls this "Plateau effect of ring".
    const bool long_chunks = std::floor(bytes_ / (system_.channels * ranks_)) >= 64;
    if (protocol == NcclProtocol::simple && system_.nodes > 1 && all_reduce() && long_chunks)
      latency *= system_.generation < GpuGeneration::ampere ? 1.9 : 1.4;
    return time(latency, rate * ranks_ / steps);
  }

  // Between two nodes the search gives trees up to twice the network inside the node, and no more is asked of it.
  double tree_channels() const { return system_.nodes == 2 ? std::min(inside(), 2 * network()) : between(); }

  Seconds tree(NcclProtocol protocol) const {
    const auto p = static_cast<std::size_t>(protocol);
    double rate = std::min(0.92 * tree_channels(), system_.channels * table_.tree_rate[generation_][by_nodes_]);
    if (protocol == NcclProtocol::ll) rate = std::min(rate / 3.8, ll_rate());
    if (protocol == NcclProtocol::ll128)
      rate = std::min(rate * (system_.nodes == 1 ? 7.0 / 9 : 120.0 / 128),
                      system_.channels * table_.tree_ll128_rate[generation_][by_nodes_]);
    const double hop = system_.nvlink ? table_.tree_nvlink[p] : table_.tree_pcie[p];
    const double latency = table_.tree_base[p] + 2 * ((system_.ranks_per_node - 1) * hop +
                                                      std::floor(std::log2(system_.nodes)) * network_hop(p, false));
    return time(latency, rate / 2 * correction(p));
  }

  double correction(std::size_t p) const {
    const auto& factors = table_.tree_correction[p];
    if (bytes_ < 64) return 1;
    const auto place = static_cast<std::size_t>(std::log2(bytes_ / 64));
    return place < factors.size() ? factors[place] : 1;
  }

  Seconds nvls() const {
    if (all_reduce()) return time(table_.nvls_nvlink, inside() * 5 / 6);
    return time(table_.nvls_nvlink, inside() * (system_.ranks_per_node - 1) / system_.ranks_per_node);
  }

  Seconds nvls_tree() const {
    const double rate = std::min(inside(), system_.nodes == 2 ? network() : network() / 2);
    const double hops = 2 * std::floor(std::log2(system_.nodes));
    return time(table_.nvls_nvlink + hops * table_.nvls_tree_network, rate * 5 / 6);
  }

  const NcclTunerTable& table_ = nccl_tuner_table();
  const NcclSystem& system_;
  CollectiveKind kind_;
  double bytes_;
  int ranks_;
  std::size_t generation_, by_nodes_;
};

}  // namespace

std::vector<NcclEstimate> nccl_estimates(const NcclSystem& system, CollectiveKind kind, Bytes bytes) {
  const bool tuned = kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter ||
                     kind == CollectiveKind::all_gather;
  if (!tuned || system.ranks() < 2) return {};
  return Tuner(system, kind, bytes).estimates();
}

std::optional<NcclEstimate> nccl_choice(const NcclSystem& system, CollectiveKind kind, Bytes bytes,
                                        const NcclFilter& filter) {
  std::optional<NcclEstimate> best;
  for (const NcclEstimate& estimate : nccl_estimates(system, kind, bytes)) {
    if (filter.lets_through(estimate.variant) && (!best || estimate.time < best->time)) best = estimate;
  }
  return best;
}

}  // namespace mlsim::sim
