// A `Launch` is how the kernels of a language model reach the accelerator.
#pragma once

#include "core/text/words.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Kernels are launched by the framework one by one, by a compiled program, or all at once as a recorded graph.
enum class Launch { eager, compiled, graphs };
const Words<Launch>& words(Launch);

}  // namespace mlsim::sim
