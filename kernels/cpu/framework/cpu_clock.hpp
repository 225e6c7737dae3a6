// cpu_clock() says how fast the cores run.
#pragma once

#include <string>

namespace mlsim::kernels {

/// Returns the clock of the slowest core now, as the system counts it: "2.70 GHz"; empty where it does not. In a
/// virtual machine that is often the nominal clock.
std::string cpu_clock();

}  // namespace mlsim::kernels
