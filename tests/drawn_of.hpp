// drawn_of() says how many of the draws of a test are made.
#pragma once

#include <cstdlib>

namespace mlsim::test {

/// A third of them, and all where the environment says MLSIM_ALL_DRAWS, as the night does.
inline int drawn_of(int all) { return std::getenv("MLSIM_ALL_DRAWS") ? all : (all + 2) / 3; }

}  // namespace mlsim::test
