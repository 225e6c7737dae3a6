// nvml_clock() asks NVIDIA's management library, loaded at run time, for clocks and throttle reasons of a GPU.
#pragma once

#include <string>

namespace mlsim::kernels::cuda {

/// Returns the clock of the GPU with this PCI bus id ("0000:17:00.0"), as clock_text writes it; empty where the library
/// or the answer is missing.
std::string nvml_clock(const std::string& bus_id);

}  // namespace mlsim::kernels::cuda
