// network_name() returns the network that a workload's name speaks of, whatever its version and its parameters.
#pragma once

#include <string_view>

namespace mlsim::workloads {

/// Both "resnet50-v1" and "resnet50" are resnet50, "bert-large:sequence=256" is bert-large: versions of one network,
/// whose kernels differ in shape but not in kind. A version is "-v" and a number at the end of the name. The result is
/// a part of `workload`.
std::string_view network_name(std::string_view workload);

}  // namespace mlsim::workloads
