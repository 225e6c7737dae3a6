// Whether this process is one of several that mpirun started together.
#pragma once

#include <functional>
#include <optional>

namespace mlsim {

struct Launch {
  int rank = 0, ranks = 1, ranks_per_node = 1;
  int nodes() const { return ranks / ranks_per_node; }
};

/// From Open MPI's variables (OMPI_COMM_WORLD_RANK ..., mpirun(1)); nothing where they are not set. `variable` as
/// getenv. Throws InputError where nodes have different numbers of ranks: a profile counts nodes times ranks.
std::optional<Launch> launch_of(const std::function<const char*(const char*)>& variable);

}  // namespace mlsim
