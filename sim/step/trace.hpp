// trace_json() writes a timeline as a trace that ui.perfetto.dev and chrome://tracing show.
#pragma once

#include <string>

#include "sim/namespace.hpp"
#include "sim/step/timeline.hpp"

namespace mlsim::sim {

/// The JSON has Chrome's trace event format ("Trace Event Format", chromium.org, 2016): one complete event ("X") for
/// each span, times in microseconds; a process for each rank class, named with its size, and a thread for each stream.
std::string trace_json(const Timeline& timeline);

}  // namespace mlsim::sim
