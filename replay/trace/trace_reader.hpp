// read_trace() reads a trace of the PyTorch profiler (Kineto, Chrome JSON), event by event.
#pragma once

#include <functional>
#include <string>

#include "replay/trace/trace_event.hpp"

namespace mlsim::replay {

/// Hands each span to `take` as it comes and returns what stands around them. The file is an object with traceEvents or
/// a bare array, plain or gzip; a bare array may lack its last bracket, as the format allows. Throws InputError with
/// the file and the event where it is no such file, was cut off or is damaged.
TraceHeader read_trace(const std::string& path, const std::function<void(const TraceEvent&)>& take);

}  // namespace mlsim::replay
