// A `Launch` says whether this process is one of several that mpirun started together.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

struct Launch {
  int rank = 0, ranks = 1, ranks_per_node = 1;
  int nodes() const { return ranks / ranks_per_node; }
};

/// Reads Open MPI's variables (OMPI_COMM_WORLD_RANK ..., mpirun(1)); nothing where they are not set. `variable` is as
/// getenv. Throws InputError where nodes have different numbers of ranks: a profile counts nodes times ranks.
std::optional<Launch> launch_of(const std::function<const char*(const char*)>& variable);

/// The note is a sentence where ranks that measure Gloo have fewer than two processors each, by their binding or
/// because the node has no more; else empty. Gloo moves data in a thread of its own, which asks again and again for a
/// lock that the rank's own thread holds (Pair::handleEvents): on one processor the system's next tick decides between
/// them, every 4 ms on many.
std::string sharing_note(const std::vector<std::string>& libraries, int ranks_per_node, int own_processors,
                         int node_processors);

}  // namespace mlsim::calibrate
