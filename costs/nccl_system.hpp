// A NcclSystem is nodes of GPUs of one generation, and what joins them inside and between, as NCCL sees them.
#pragma once

#include <string>

#include "core/units.hpp"

namespace mlsim::costs {

/// NCCL tells these generations of NVIDIA apart; Kepler, Maxwell and Pascal count as `before_volta`, Turing as Volta
/// and Ada as Ampere, which is how its tables are indexed (src/graph/tuning.cc, compCapIndex).
enum class GpuGeneration { before_volta, volta, ampere, hopper, blackwell };

/// A NodeNetwork carries messages between nodes. `efa_2019` is the first Elastic Fabric Adapter (p3dn).
enum class NodeNetwork { infiniband, roce, efa, efa_2019, tcpxo, sockets };

struct NcclSystem {
  int nodes = 1, ranks_per_node = 1;
  GpuGeneration generation = GpuGeneration::volta;
  bool nvlink = true;      // else PCIe
  bool nvswitch = false;   // every GPU reaches every other of its node over one NVLink hop
  BytesPerSecond inside;   // data sheet, one GPU to its node, one direction: all NVLinks, or its PCIe slot
  int channels = 1;        // paths through the node that NCCL's search finds, each of its own NVLinks
  BytesPerSecond network;  // data sheet, one node to the network, all NICs, one direction
  NodeNetwork network_kind = NodeNetwork::infiniband;
  bool nic_near_gpu = true;     // NICs hang at the GPUs' PCIe switches, else at the host
  bool amd_host = false;        // EPYC hosts post network requests more slowly
  Seconds wire;                 // latency between two nodes by data sheet; counts where it exceeds the fitted crossing
  BytesPerSecond through_host;  // between two GPUs over PCIe without peer access; 0: peers have access
  int ranks() const { return nodes * ranks_per_node; }
  bool operator==(const NcclSystem&) const = default;
};

/// A target is a system that curves are asked for, with its names.
struct NcclTarget {
  std::string topology;  // "dgx-a100", or a machine file of one's own
  std::string machine;   // as profiles name it; empty for a file of one's own
  NcclSystem system;
  std::string accelerator;  // "a100-sxm4-40gb"; empty where it has none
};

/// Says whether NCCL enables LL128 by default: from Volta on, over NVLink, and between nodes over RDMA NICs at GPUs'
/// own PCIe switches (src/graph/tuning.cc: typeIntra <= NVB, typeInter <= PXB). EFA's and TCPXO's plugins disable it.
bool allows_ll128(const NcclSystem& system);

/// Says whether NVLink SHARP sums in the switches: Hopper and later on NVSwitch.
bool has_nvls(const NcclSystem& system);

}  // namespace mlsim::costs
