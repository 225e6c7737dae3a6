// The published NCCL sweeps with their systems, as the structure's fit takes them.
#pragma once

#include <string>
#include <vector>

#include "calibrate/fit/nccl_fit.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {

/// Sweeps of nccl_systems.csv whose `use` is among the given.
std::vector<NcclSweep> nccl_systems(const std::vector<std::string>& uses);

}  // namespace mlsim::test
