// mlsim validate replay: a run of `mlsim replay` against its prediction.
#pragma once

#include <string>
#include <vector>

#include "cli/validate_trace.hpp"

namespace mlsim::cli {

/// Of the options of traces the file, the topology and the bound count. Exit code 1 beyond the bound. Throws InputError.
int validate_replay(const TraceOptions& options, const std::vector<std::string>& profiles, const std::string& format,
                    const std::string& output);

}  // namespace mlsim::cli
