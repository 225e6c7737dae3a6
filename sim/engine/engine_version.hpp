// Which engines this program was built with.
#pragma once

#include <string>

#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Without SimGrid our own solver moves everything, and what asks for SimGrid by name throws Unavailable.
bool has_simgrid();

/// "3.32"; of a program without it what to install.
std::string engine_version();

}  // namespace mlsim::sim
