// A `LaunchMode` is how kernels reach the accelerator.
#pragma once

#include "core/text/words.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Kernels are launched by the framework one by one, by a compiled program, or all at once as a recorded graph.
enum class LaunchMode { eager, compiled, graphs };
inline Words<LaunchMode> words(LaunchMode) { return {"launch", {"eager", "compiled", "graphs"}}; }

}  // namespace mlsim::sim
