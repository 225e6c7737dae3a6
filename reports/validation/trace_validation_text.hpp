// A recorded step against the same step replayed, as tables for a terminal.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "validation/trace/trace_validation.hpp"

namespace mlsim::reports {

std::string trace_validation_text(const TraceValidation& validation);

}  // namespace mlsim::reports
