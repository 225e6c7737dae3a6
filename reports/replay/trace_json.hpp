// This JSON describes recorded runs for programs.
#pragma once

#include <string>

#include "replay/trace/recorded_run.hpp"
#include "reports/namespace.hpp"

namespace mlsim::reports {

/// Writes a run file, in SI units: every step, the collectives, and the spans of each rank's median step, since that
/// step's begin.
std::string trace_json(const RecordedRun& run);

}  // namespace mlsim::reports
