#include "sim/collectives/nccl/fitted_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "sim/collectives/nccl/tuner_table.hpp"

namespace mlsim {
namespace {

// Robust fits of log-time errors to published nccl-tests sweeps (NVIDIA DeepOps, AWS,
// GCP, Oracle, CoreWeave; 2019-2025), every sweep weighted alike; ranges are of fits that leave one system out.
constexpr double kRing = 0.81;                // of NVLink's line rate, 0.78-0.85
constexpr double kTree = 0.73;                // 0.72-0.78
constexpr double kNvlsHopper = 0.68;          // 0.67-0.68
constexpr double kNvlsBlackwell = 0.60;       // 8 GPUs, B200
constexpr double kNvlsRack = 0.50;            // NVL72, 0.49-0.50
constexpr double kNvlsLatency = 23;           // us, 22-23.5
constexpr double kNvlsRackLatency = 470;      // us, 390-480
constexpr double kNvlsTreeCrossing = 13.4;    // us, 13-14
constexpr double kPcie = 0.55;                // of an x16 slot's, boxes without peer access; one system
constexpr double kPcieLatency = 1.8;          // times NCCL's; one system
constexpr double kShortLatency = 1.13;        // times NCCL's, LL and LL128; 1.12-1.16
constexpr double kSimpleLatency = 0.85;       // 0.72-0.92
constexpr double kFillBytes = 61 * 1048576.;  // of the payload that fill a pipeline; 59-66 MiB
constexpr int kLargestBox = 16;               // GPUs of one NVLink domain that is no rack

struct Network {
  double share;     // of the NICs' line rate
  double crossing;  // us, beside NCCL's own
  double fill;      // c of the pipeline
};

// Shares read off plateaus; crossings 6.7-7.3 (RDMA) and 54-65 us (clouds); fill 0.92-1.01 and 1.65-2.3.
Network network_of(NodeNetwork kind) {
  switch (kind) {
    case NodeNetwork::infiniband: return {0.94, 7, 1};
    case NodeNetwork::roce: return {0.92, 7, 1};
    case NodeNetwork::efa: return {0.84, 60, 2};
    case NodeNetwork::efa_2019: return {0.70, 60, 2};
    case NodeNetwork::tcpxo: return {0.90, 60, 2};
    case NodeNetwork::sockets: return {0.84, 60, 2};  // as EFA; no sweep over sockets is published
  }
  return {};
}

// In us and GB/s.
struct Cost {
  double latency, rate, fill;
};

class Fitted {
 public:
  explicit Fitted(const NcclSystem& system)
      : s_(system),
        network_(network_of(system.network_kind)),
        n_(system.nodes),
        g_(system.ranks_per_node),
        inside_(system.inside.value / 1e9),
        nics_(network_.share * system.network.value / 1e9) {}

  Cost cost(const NcclVariant& variant) const {
    switch (variant.algorithm) {
      case NcclAlgorithm::ring: return ring(variant.protocol);
      case NcclAlgorithm::tree: return tree(variant.protocol);
      case NcclAlgorithm::nvls: return {nvls_latency(), nvls_rate(), network_.fill};
      case NcclAlgorithm::nvls_tree:
        return {nvls_latency() + 2 * std::log2(n_) * (kNvlsTreeCrossing + network_.crossing),
                std::min(0.92 * nvls_rate(), node_share() * nics_), network_.fill};
    }
    return {};
  }

 private:
  double latency_factor(NcclProtocol protocol) const {
    return (protocol == NcclProtocol::simple ? kSimpleLatency : kShortLatency) * (s_.nvlink ? 1 : kPcieLatency);
  }
  double fill(NcclProtocol protocol) const { return protocol == NcclProtocol::simple ? network_.fill : 0; }
  std::size_t generation() const { return static_cast<std::size_t>(s_.generation); }

  double ll_rate() const { return table_.ll_rate[generation()][n_ == 1 ? 0 : n_ <= 3 ? 1 : 2]; }

  // Channels that NCCL runs with, twice what it searches.
  double channels() const { return std::min(32, 2 * s_.channels); }

  Cost ring(NcclProtocol protocol) const {
    const auto p = static_cast<std::size_t>(protocol);
    const int ranks = n_ * g_;
    double rate = (s_.nvlink ? kRing : kPcie) * inside_;
    if (n_ > 1) rate = g_ == 1 ? nics_ : std::min(rate, nics_);
    if (protocol == NcclProtocol::ll) rate = std::min(ll_rate(), rate / 2);
    if (protocol == NcclProtocol::ll128)
      rate = std::min(0.92 * rate, channels() * table_.ring_ll128_rate[generation()][0]);
    const double hop = s_.nvlink ? table_.ring_nvlink[p] : table_.ring_pcie[p];
    return {latency_factor(protocol) * (table_.ring_base[p] + 2 * (ranks - n_) * hop) +
                2 * (n_ - 1) * (table_.ring_network[p] + network_.crossing),
            rate * ranks / (2.0 * (ranks - 1)), fill(protocol)};
  }

  // A double binary tree moves the payload once each way through a node where there are two, else twice.
  double node_share() const { return n_ == 2 ? 1 : 0.5; }

  Cost tree(NcclProtocol protocol) const {
    const auto p = static_cast<std::size_t>(protocol);
    double rate = (s_.nvlink ? kTree : kPcie) * inside_ / 2;
    if (n_ > 1) rate = g_ == 1 ? node_share() * nics_ : std::min(rate, node_share() * nics_);
    if (protocol == NcclProtocol::ll) rate = std::min(rate / 3.8, ll_rate() / 2);
    if (protocol == NcclProtocol::ll128) rate *= 0.92 * 120 / 128;
    const double hop = s_.nvlink ? table_.tree_nvlink[p] : table_.tree_pcie[p];
    return {latency_factor(protocol) * (table_.tree_base[p] + 2 * (g_ - 1) * hop) +
                2 * std::log2(n_) * (table_.tree_network[p] + network_.crossing),
            rate, fill(protocol)};
  }

  double nvls_latency() const { return g_ > kLargestBox ? kNvlsRackLatency : kNvlsLatency; }
  double nvls_rate() const {
    const double box = s_.generation == GpuGeneration::hopper ? kNvlsHopper : kNvlsBlackwell;
    return (g_ > kLargestBox ? kNvlsRack : box) * inside_ / (1 + 1.0 / g_);
  }

  const NcclTunerTable& table_ = nccl_tuner_table();
  const NcclSystem& s_;
  Network network_;
  int n_, g_;
  double inside_, nics_;
};

bool can_run(const NcclSystem& system, const NcclVariant& variant) {
  switch (variant.algorithm) {
    case NcclAlgorithm::ring: return variant.protocol != NcclProtocol::ll128 || allows_ll128(system);
    case NcclAlgorithm::tree:
      return system.nodes > 1 && (variant.protocol != NcclProtocol::ll128 || allows_ll128(system));
    case NcclAlgorithm::nvls: return system.nodes == 1 && has_nvls(system);
    case NcclAlgorithm::nvls_tree: return system.nodes > 1 && has_nvls(system);
  }
  return false;
}

}  // namespace

Seconds nccl_time(const NcclSystem& system, const NcclVariant& variant, Bytes bytes) {
  if (system.ranks() < 2) return Seconds(0);
  if (!can_run(system, variant)) throw Infeasible(fmt::format("NCCL does not run {} here", text(variant)));
  const Cost cost = Fitted(system).cost(variant);
  const double rate = 1000 * cost.rate;  // bytes a microsecond
  const double filled = std::sqrt(cost.latency * std::min(bytes.value, kFillBytes) / rate);
  return microseconds(cost.latency + bytes.value / rate + cost.fill * filled);
}

std::optional<NcclEstimate> nccl_quickest(const NcclSystem& system, Bytes bytes, const NcclFilter& filter) {
  std::optional<NcclEstimate> best;
  for (NcclEstimate estimate : nccl_estimates(system, CollectiveKind::all_reduce, bytes)) {
    if (!filter.lets_through(estimate.variant) || !can_run(system, estimate.variant)) continue;
    estimate.time = nccl_time(system, estimate.variant, bytes);
    if (!best || estimate.time < best->time) best = estimate;
  }
  return best;
}

}  // namespace mlsim
