#include "costs/nccl_system.hpp"

namespace mlsim::costs {

bool allows_ll128(const NcclSystem& system) {
  if (system.generation == GpuGeneration::before_volta || !system.nvlink) return false;
  if (system.nodes == 1) return true;
  const bool plain = system.network_kind == NodeNetwork::infiniband || system.network_kind == NodeNetwork::roce;
  return plain && system.nic_near_gpu;
}

bool has_nvls(const NcclSystem& system) {
  return system.nvswitch && system.generation >= GpuGeneration::hopper && system.ranks_per_node > 1;
}

}  // namespace mlsim::costs
