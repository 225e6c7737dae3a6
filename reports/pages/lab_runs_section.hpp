// This section of docs/accuracy.md sets steps of `mlsim replay` against their predictions.
#pragma once

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "validation/replay/lab_runs.hpp"

namespace mlsim::reports {

PageSection lab_runs_section(const LabRuns& lab);

}  // namespace mlsim::reports
