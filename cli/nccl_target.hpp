// The system of --complete-on, as NCCL sees it.
#pragma once

#include <string>

#include "calibrate/profile/nccl_completion.hpp"
#include "cli/namespace.hpp"

namespace mlsim::cli {

struct NamedNcclTarget {
  NcclTarget target;
  std::string accelerator;  // "a100-sxm4-40gb"
};

/// Throws InputError with the nearest name where there is no such topology, and where NCCL runs no all-reduce on it.
NamedNcclTarget nccl_target(const std::string& topology);

}  // namespace mlsim::cli
