// This section of docs/accuracy.md sets steps of `mlsim replay` against their predictions.
#pragma once

#include "replay/validation/lab_runs.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

PageSection lab_runs_section(const LabRuns& lab);

}  // namespace mlsim::reports
