// This page sets a recorded step against the same step replayed.
#pragma once

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "validation/trace/trace_validation.hpp"

namespace mlsim::reports {

Page trace_validation_page(const TraceValidation& validation);

}  // namespace mlsim::reports
