// The tuner table holds the constants by which NCCL expects a collective's time: its belief, not a measurement.
#pragma once

#include <array>

#include "core/units.hpp"
#include "costs/nccl_protocol.hpp"

namespace mlsim::costs {

/// Times are in microseconds and rates in GB/s, as in the source; by protocol LL, LL128, Simple. Rows stand by
/// GpuGeneration; NCCL's rates by numbers of nodes (1, 2, more) give those before Volta its row.
struct NcclTunerTable {
  using ByProtocol = std::array<double, 3>;
  using ByNodes = std::array<double, 3>;

  // NCCL calls these baseLat and hwLat.
  ByProtocol ring_base, tree_base;
  ByProtocol ring_nvlink, tree_nvlink;  // a hop inside a node
  ByProtocol ring_pcie, tree_pcie;
  ByProtocol ring_network, tree_network;  // a hop between nodes
  double nvls_nvlink = 0, nvls_tree_network = 0;

  std::array<ByNodes, 5> ll_rate;                         // llMaxBws: most that LL reaches; one node
  std::array<ByNodes, 5> ring_ll128_rate;                 // perChMaxRingLL128Bws, of a channel
  std::array<ByNodes, 5> tree_ll128_rate;                 // perChMaxTreeLL128Bws
  std::array<ByNodes, 5> tree_rate;                       // perChMaxTreeBws
  std::array<std::array<double, 24>, 3> tree_correction;  // treeCorrectionFactor, by log2(bytes / 64); then 1

  std::array<double, 5> channel_rate;       // topo.h: what a channel of one NVLink is taken to reach
  std::array<BytesPerSecond, 5> link_rate;  // data sheet of one NVLink, one direction
  int most_channels = 0;                    // channels that the search keeps on a switch
};

/// The constants are those of NCCL v2.27.7-1.
const NcclTunerTable& nccl_tuner_table();

}  // namespace mlsim::costs
