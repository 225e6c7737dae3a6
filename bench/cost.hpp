// What a piece of work costs, measured in a process of its own.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bench/namespace.hpp"

namespace mlsim::bench {

struct Cost {
  double user_s = 0;  // of the process and its children
  double wall_s = 0;
  double peak_mib = 0;  // largest resident set of any of them
  std::string answer;   // what the work returned
};

/// Runs `work` in a forked child and measures it there; empty where it takes longer than `limit_s` and is stopped.
/// Throws std::runtime_error where the child fails.
std::optional<Cost> cost_of(const std::function<std::string()>& work, double limit_s);

}  // namespace mlsim::bench
