// recorded_collective() names a kernel's collective: by the profiler, else the annotation round its launch, else its
// name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "replay/trace/rank_trace.hpp"
#include "replay/trace/trace_event.hpp"

namespace mlsim::replay {

/// Knows "allreduce", "_allgather_base", "nccl:all_to_all", "c10d::alltoall_base_"; returns nothing for what is none.
std::optional<CollectiveKind> collective_named(std::string_view name);

/// Says whether a kernel of this name communicates.
bool is_communication(std::string_view kernel);

/// `annotation` ("nccl:all_reduce") and `operation` ("c10d::allreduce_") stand round the launch; either may lack.
RecordedCollective recorded_collective(const TraceEvent& kernel, const TraceEvent* annotation,
                                       const TraceEvent* operation);

}  // namespace mlsim::replay
