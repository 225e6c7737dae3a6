// How fast the cores run.
#pragma once

#include <string>

namespace mlsim::kernels {

/// Of the slowest core now, as the system counts it: "2.70 GHz"; empty where it does not. In a virtual machine often
/// the nominal clock.
std::string cpu_clock();

}  // namespace mlsim::kernels
