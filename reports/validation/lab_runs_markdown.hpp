// Steps of mlsim replay against their predictions, as a section of docs/accuracy.md.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "validation/replay/lab_runs.hpp"

namespace mlsim::reports {

std::string lab_runs_markdown(const LabRuns& lab);

}  // namespace mlsim::reports
