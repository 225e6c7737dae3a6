// Measured hints are what a profile measured of this machine, for its machine file.
#pragma once

#include "core/profile/profile.hpp"
#include "topologies/import/host_machine.hpp"

namespace mlsim::topologies {

/// Gives the largest rates that the profile's probes reached: of matrix products, or of a law where that is more, as
/// libraries differ; and of the largest copy, which is past every cache.
ProcessorCeilings measured_ceilings(const Profile& profile);

/// The accelerators are GPUs where mlsim-cuda measured (its environment names the GPU), else the processor, which gets
/// its ceilings. They are named as the profile's; GPUs only where the catalogue has it, else the driver's device ids
/// say what they are.
HostMachineHints measured_hints(const Profile& profile);

}  // namespace mlsim::topologies
