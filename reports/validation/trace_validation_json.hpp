// This JSON sets a recorded step against the same step replayed.
#pragma once

#include <string>

#include "replay/validation/trace_validation.hpp"
#include "reports/namespace.hpp"

namespace mlsim::reports {

std::string trace_validation_json(const TraceValidation& validation);

}  // namespace mlsim::reports
