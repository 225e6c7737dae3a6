// This page says what was recorded of a run.
#pragma once

#include "replay/trace/recorded_run.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

/// Shows what was recorded, each rank's median step, the collectives with their bus bandwidth, and warnings.
Page trace_page(const RecordedRun& run);

}  // namespace mlsim::reports
