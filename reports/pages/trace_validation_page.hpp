// This page sets a recorded step against the same step replayed.
#pragma once

#include "replay/validation/trace_validation.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

Page trace_validation_page(const TraceValidation& validation);

}  // namespace mlsim::reports
