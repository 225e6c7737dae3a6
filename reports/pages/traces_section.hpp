// The section compares published traces with their replays.
#pragma once

#include "replay/validation/published_traces.hpp"
#include "replay/validation/trace_validation.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

/// This page sets a recorded step against the same step replayed.
Page trace_validation_page(const TraceValidation& validation);

/// A terminal gets this page.
Page traces_page(const PublishedTraceResults& results);
/// This is a section of docs/accuracy.md.
PageSection traces_section(const PublishedTraceResults& results);

}  // namespace mlsim::reports
