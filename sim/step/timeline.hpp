// A `Timeline` says what happened when in a simulated step, for the breakdown and the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/profile/collective.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::sim {

/// A `Span` is one node of the step graph on one class of ranks.
struct Span {
  std::size_t vertex = 0;
  std::uint32_t rank_class = 0;
  Stream stream = Stream::compute;
  StepPart part = StepPart::forward;
  std::string name;
  Seconds begin, end;
  std::optional<CollectiveKind> collective = {};  // empty for what is none
};

struct Timeline {
  std::vector<Span> spans;                // by begin within a class and stream
  std::vector<std::uint32_t> class_size;  // ranks in each class
  Seconds end() const;                    // of the last span
};

/// trace_json() writes a timeline as a trace that ui.perfetto.dev and chrome://tracing show.
/// The JSON has Chrome's trace event format ("Trace Event Format", chromium.org, 2016): one complete event ("X") for
/// each span, times in microseconds; a process for each rank class, named with its size, and a thread for each stream.
std::string trace_json(const Timeline& timeline);

}  // namespace mlsim::sim
