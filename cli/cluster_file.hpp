// The machine that was calibrated as a topology file, so that predictions can be asked for it.
#pragma once

#include <string>

#include "calibrate/kernel_grid.hpp"
#include "cli/namespace.hpp"
#include "core/profile.hpp"

namespace mlsim::cli {

/// One node of this machine, its accelerator named as the profile's. A processor's rates are the largest that the
/// profile's probes reached. Throws Unavailable where this build has no hwloc, InputError where the machine has no GPU
/// that is known.
std::string cluster_file_text(const Profile& profile, KernelDevice device);

/// A machine file called `name` from a topology that NCCL or lstopo wrote; `accelerator` names its accelerators where
/// it is not empty. Throws InputError with file and line, Unavailable where lstopo's needs an hwloc that is not there.
std::string nccl_cluster_text(const std::string& path, const std::string& name, const std::string& accelerator);
std::string hwloc_cluster_text(const std::string& path, const std::string& accelerator);

}  // namespace mlsim::cli
