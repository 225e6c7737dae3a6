// A device name is what drivers and logs call an accelerator, "NVIDIA H100 80GB HBM3"; it is compared with ours.
#pragma once

#include <string>
#include <vector>

namespace mlsim::topologies {

/// Returns the names of the catalogue's accelerators of the model that a device's or platform's name says: those of
/// H100 for "NVIDIA H100 80GB HBM3" and "dgxh100_n8", mi300x for "8xMI300X". Boards and memories of a model are not
/// told apart. Empty where it says none.
std::vector<std::string> accelerators_of_device_name(const std::string& device);

/// Throws InputError at `place` where the device's name says a model that `accelerator` is not; one that the catalogue
/// does not hold is of no model of it. A name that says none passes.
void check_device_name(const std::string& place, const std::string& device, const std::string& accelerator);

}  // namespace mlsim::topologies
