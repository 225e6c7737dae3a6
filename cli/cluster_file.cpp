#include "cli/cluster_file.hpp"

#include <algorithm>

#include "topologies/accelerator_file.hpp"
#include "topologies/import/host_machine.hpp"
#include "topologies/import/hwloc_topology.hpp"
#include "topologies/import/nccl_topology.hpp"

namespace mlsim::cli {
namespace {

ProcessorCeilings ceilings_of(const Profile& profile) {
  ProcessorCeilings ceilings;
  Bytes copied;  // the largest copy is past every cache
  for (const auto& probe : profile.probes) {
    if (probe.name.starts_with("gemm fp32 ")) {
      const FlopPerSecond rate = probe.flop / probe.time.median;
      ceilings.fp32 = ceilings.fp32 ? max(*ceilings.fp32, rate) : rate;
    } else if (probe.name.starts_with("copy fp32 ") && probe.bytes >= copied) {
      const BytesPerSecond rate = probe.bytes / probe.time.median;
      ceilings.memory = ceilings.memory && probe.bytes == copied ? max(*ceilings.memory, rate) : rate;
      copied = probe.bytes;
    } else {
      continue;
    }
    ceilings.source = probe.source.source;
    ceilings.date = probe.source.date;
  }
  // Libraries differ: where convolutions do more than the largest matrix product, the processor can.
  for (const auto& law : profile.laws) {
    if (law.precision == Precision::fp32 && ceilings.fp32) ceilings.fp32 = max(*ceilings.fp32, law.constants.compute);
  }
  return ceilings;
}

}  // namespace

std::string cluster_file_text(const Profile& profile, KernelDevice device) {
  HostMachineHints hints;
  if (device == KernelDevice::cuda) {
    hints.accelerators = HostMachineHints::Accelerators::gpus;
    const auto known = accelerator_names();
    const bool in_catalogue = std::find(known.begin(), known.end(), profile.accelerator) != known.end();
    if (in_catalogue) hints.accelerator = profile.accelerator;
  } else {
    hints.accelerator = profile.accelerator;
    hints.ceilings = ceilings_of(profile);
  }
  return machine_file_text(this_machine(), hints);
}

std::string nccl_cluster_text(const std::string& path, const std::string& name, const std::string& accelerator) {
  return nccl_machine_text(path, {name, accelerator});
}

std::string hwloc_cluster_text(const std::string& path, const std::string& accelerator) {
  HostMachineHints hints;
  hints.accelerator = accelerator;
  return machine_file_text(hwloc_machine(path), hints);
}

}  // namespace mlsim::cli
