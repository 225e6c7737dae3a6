// These readers take traces of profilers, PyTorch's Kineto and Nsight Systems, event by event.
#pragma once

#include <functional>
#include <string>

#include "replay/trace/trace_event.hpp"

namespace mlsim::replay {

/// Hands each span to `take` as it comes and returns what stands around them. The file is an object with traceEvents or
/// a bare array, plain or gzip; a bare array may lack its last bracket, as the format allows. Throws InputError with
/// the file and the event where it is no such file, was cut off or is damaged.
TraceHeader read_trace(const std::string& path, const std::function<void(const TraceEvent&)>& take);

/// Hands kernels, copies, fills, launches, steps and what stands round collectives to `take`, with times since the
/// first of them. A step is the outermost NVTX range that repeats on a thread ("step 12", "iteration"). Tables that an
/// export lacks are taken for empty. Throws InputError where the file is damaged or holds several accelerators.
TraceHeader read_nsys(const std::string& path, const std::function<void(const TraceEvent&)>& take);

}  // namespace mlsim::replay
