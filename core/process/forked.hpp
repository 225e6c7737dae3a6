// forked() does one piece of work in a process of its own and says what came of it and what it cost.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/process/outcome.hpp"
#include "core/units.hpp"

namespace mlsim {

struct ForkOptions {
  std::string process = "its process";  // the subject of sentences on how it ended
  std::optional<Seconds> time_limit;
};

struct Forked {
  Outcome outcome;
  Seconds wall, user;  // user time of the process and its children
  Bytes peak_memory;   // the largest resident set of any of them
};

/// Runs `work` in a forked child, of which this process learns no more than the bytes that `work` returned or the error
/// that it threw. The caller must be single-threaded. A child that crashes, is killed or takes longer than its limit
/// makes the outcome a ProcessCrashed, MachineFailed or TimedOut. Throws MachineFailed where no child can be had.
Forked forked(const std::function<std::string()>& work, const ForkOptions& options = {});

}  // namespace mlsim
