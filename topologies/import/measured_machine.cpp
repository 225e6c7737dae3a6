#include "topologies/import/measured_machine.hpp"

#include <algorithm>

#include "topologies/machine/accelerator_file.hpp"

namespace mlsim::topologies {

ProcessorCeilings measured_ceilings(const Profile& profile) {
  ProcessorCeilings ceilings;
  Bytes copied;
  for (const auto& probe : profile.probes) {
    if (probe.name.precision != Precision::fp32) continue;
    if (probe.name.kind == "gemm") {
      const FlopPerSecond rate = probe.flop / probe.time.median;
      ceilings.fp32 = ceilings.fp32 ? max(*ceilings.fp32, rate) : rate;
    } else if (probe.name.kind == "copy" && probe.bytes >= copied) {
      const BytesPerSecond rate = probe.bytes / probe.time.median;
      ceilings.memory = ceilings.memory && probe.bytes == copied ? max(*ceilings.memory, rate) : rate;
      copied = probe.bytes;
    } else {
      continue;
    }
    ceilings.source = probe.source.source;
    ceilings.date = probe.source.date;
  }
  for (const auto& law : profile.laws)
    if (law.precision == Precision::fp32 && ceilings.fp32) ceilings.fp32 = max(*ceilings.fp32, law.constants.compute);
  return ceilings;
}

HostMachineHints measured_hints(const Profile& profile) {
  HostMachineHints hints;
  if (profile.environment.contains("gpu")) {
    hints.accelerators = HostMachineHints::Accelerators::gpus;
    const auto known = accelerator_names();
    if (std::find(known.begin(), known.end(), profile.accelerator) != known.end())
      hints.accelerator = profile.accelerator;
  } else {
    hints.accelerator = profile.accelerator;
    hints.ceilings = measured_ceilings(profile);
  }
  return hints;
}

}  // namespace mlsim::topologies
