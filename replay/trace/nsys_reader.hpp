// read_nsys() reads what `nsys export --type sqlite` wrote, as the events that a Kineto trace has of the same run.
#pragma once

#include <functional>
#include <string>

#include "replay/trace/trace_event.hpp"

namespace mlsim::replay {

/// Hands kernels, copies, fills, launches, steps and what stands round collectives to `take`, with times since the
/// first of them. A step is the outermost NVTX range that repeats on a thread ("step 12", "iteration"). Tables that an
/// export lacks are taken for empty. Throws InputError where the file is damaged or holds several accelerators.
TraceHeader read_nsys(const std::string& path, const std::function<void(const TraceEvent&)>& take);

}  // namespace mlsim::replay
