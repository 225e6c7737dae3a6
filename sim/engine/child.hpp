// Each simulation runs in a forked child: SimGrid keeps state in statics, so the parent never creates an engine.
#pragma once

#include <functional>
#include <string>

#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Runs `work` in a forked child and returns the bytes it returned, as core/process/forked.hpp. An error that `work`
/// throws is thrown again here; a crash of the child is a ProcessCrashed, a child that is killed a MachineFailed.
std::string in_child(const std::function<std::string()>& work);

}  // namespace mlsim::sim
