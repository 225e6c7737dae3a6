// mlsim validate trace: a recorded step against the same step replayed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace mlsim::cli {

struct TraceOptions {
  std::vector<std::string> files;
  std::string topology, bound, ranks, instead, batch, workload, precision;
  std::vector<std::string> settings;
  bool published = false;
};

/// What counts for traces alone.
void add_trace_options(CLI::App& command, TraceOptions& options);

/// Throws InputError where any is given, as nothing else takes them.
void refuse_trace_options(const TraceOptions& options);

/// The table or JSON. Exit code 1 beyond the bound. Throws InputError where a file is no trace, or the ranks are not one
/// job's.
int run_validate_trace(const TraceOptions& options, const std::vector<std::string>& profiles, const std::string& format,
                       const std::string& output);

}  // namespace mlsim::cli
