// This JSON sets a recorded step against the same step replayed.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "validation/trace/trace_validation.hpp"

namespace mlsim::reports {

std::string trace_validation_json(const TraceValidation& validation);

}  // namespace mlsim::reports
