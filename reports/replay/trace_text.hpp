// Recorded runs as people read them.
#pragma once

#include <string>

#include "replay/trace/recorded_run.hpp"
#include "reports/namespace.hpp"

namespace mlsim::reports {

/// What was recorded, each rank's median step, the collectives with their bus bandwidth, and warnings.
std::string trace_text(const RecordedRun& run);

}  // namespace mlsim::reports
