// A `ReplayOrder` is made here from the options of `mlsim replay`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/namespace.hpp"
#include "core/result/replay_run.hpp"

namespace mlsim::cli {

struct ReplayOptions {
  std::string workload, batch, parallelism, backend = "gloo", steps, warm_up, threads, output, trace;
  std::vector<std::string> settings;
};

void add_replay_options(CLI::App& command, ReplayOptions& options);

/// What a prediction would choose is chosen here, so that both mean the same graph. Throws InputError naming the option
/// that is wrong, Infeasible where the ranks cannot be laid out so.
ReplayOrder replay_order(const ReplayOptions& options, int ranks);

}  // namespace mlsim::cli
