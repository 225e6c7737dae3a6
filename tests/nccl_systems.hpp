// The systems of published nccl-tests sweeps, as NCCL sees them.
#pragma once

#include "costs/nccl_system.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {

/// `nodes` boxes of 8 GPUs on NVSwitch; rates in GB/s, NVLink of one GPU and all NICs of a node.
inline NcclSystem nvswitch_boxes(int nodes, GpuGeneration generation, double nvlink, double nics,
                                 NodeNetwork kind = NodeNetwork::infiniband) {
  NcclSystem system;
  system.nodes = nodes;
  system.ranks_per_node = 8;
  system.generation = generation;
  system.nvswitch = true;
  system.inside = gigabytes_per_second(nvlink);
  system.channels = generation == GpuGeneration::ampere ? 12 : 16;
  system.network = gigabytes_per_second(nics);
  system.network_kind = kind;
  return system;
}

inline NcclSystem h100_box() { return nvswitch_boxes(1, GpuGeneration::hopper, 450, 0); }
inline NcclSystem a100_boxes(int nodes) { return nvswitch_boxes(nodes, GpuGeneration::ampere, 300, 200); }
inline NcclSystem a100_efa_boxes() { return nvswitch_boxes(2, GpuGeneration::ampere, 300, 50, NodeNetwork::efa); }
inline NcclSystem h100_roce_boxes(int nodes) {
  return nvswitch_boxes(nodes, GpuGeneration::hopper, 450, 400, NodeNetwork::roce);
}

/// Two DGX-1-like boxes of V100 over the first EFA.
inline NcclSystem p3dn_boxes() {
  NcclSystem system = nvswitch_boxes(2, GpuGeneration::volta, 150, 12.5, NodeNetwork::efa_2019);
  system.nvswitch = false;
  system.channels = 6;
  return system;
}

/// Eight RTX 4090 on PCIe 4.0 without peer access.
inline NcclSystem pcie_box() {
  NcclSystem system = nvswitch_boxes(1, GpuGeneration::ampere, 32, 0);
  system.nvswitch = system.nvlink = false;
  system.channels = 1;
  return system;
}

/// One rack of 72 GB200.
inline NcclSystem gb200_rack() {
  NcclSystem system = nvswitch_boxes(1, GpuGeneration::blackwell, 900, 0);
  system.ranks_per_node = 72;
  return system;
}

}  // namespace mlsim::test
