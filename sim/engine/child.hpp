// One simulation = one forked child: SimGrid keeps state in statics, so the parent never creates an engine.
#pragma once

#include <functional>
#include <string>

#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Runs `work` in a forked child and returns the bytes it returned. The caller must be single-threaded. An InputError,
/// Infeasible or Unavailable thrown by `work` is thrown again here with its message; a crash of the child is a
/// std::runtime_error that says so.
std::string in_child(const std::function<std::string()>& work);

}  // namespace mlsim::sim
