// `mlsim import trace` reads what the profilers of a run's ranks recorded.
#pragma once

#include <string>
#include <vector>

namespace mlsim::cli {

/// Shows the steps of the traces, one file a rank, and writes them to the run file `output` where it names one. Throws
/// InputError where a file is no trace, is named as the output too, or the ranks are not one job's.
int import_trace(const std::vector<std::string>& files, const std::string& output);

}  // namespace mlsim::cli
