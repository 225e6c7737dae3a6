#include "cli/nccl_target.hpp"

#include "cli/command.hpp"
#include "core/errors.hpp"
#include "sim/collectives/nccl/system.hpp"
#include "topologies/build_cluster.hpp"

namespace mlsim::cli {
namespace {

constexpr const char* kOption = "--complete-on";

NcclSystem system_of(const Cluster& cluster) {
  try {
    return nccl_system(cluster);
  } catch (const Infeasible& e) {
    throw InputError(kOption, e.what());
  }
}

}  // namespace

NamedNcclTarget nccl_target(const std::string& topology) {
  const Cluster cluster = parsed(kOption, topology, [](const std::string& name) { return build_cluster(name); });
  const std::string system = cluster.name.substr(0, cluster.name.find(':'));
  const NamedNcclTarget found{{system, cluster.machine, system_of(cluster)}, cluster.accelerator.name};
  if (found.target.system.ranks() < 2)
    throw InputError(kOption, cluster.name + " is one accelerator, which exchanges nothing");
  return found;
}

}  // namespace mlsim::cli
