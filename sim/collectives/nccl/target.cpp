
#include "core/text/errors.hpp"
#include "sim/collectives/nccl/system.hpp"
#include "topologies/construction/build_cluster.hpp"

namespace mlsim::sim {
namespace {

NcclSystem system_of(const Cluster& cluster) {
  try {
    return nccl_system(cluster);
  } catch (const Infeasible& e) {
    throw InputError(e.what());
  }
}

}  // namespace

NcclTarget nccl_target(const std::string& topology) {
  const Cluster cluster = build_cluster(topology);
  const NcclTarget found{cluster.name.substr(0, cluster.name.find(':')), cluster.machine, system_of(cluster),
                         cluster.accelerator.name};
  if (found.system.ranks() < 2) throw InputError(cluster.name + " is one accelerator, which exchanges nothing");
  return found;
}

}  // namespace mlsim::sim
