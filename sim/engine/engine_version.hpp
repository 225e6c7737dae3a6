// This header says which engines the program was built with.
#pragma once

#include <string>

#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Without SimGrid our own solver moves everything, and asking for SimGrid by name throws Unavailable.
bool has_simgrid();

/// The version is "3.32", or what to install where the program has no SimGrid.
std::string engine_version();

}  // namespace mlsim::sim
