// GatheredEvents are what an importer keeps of a trace: the accelerator's work, its launches, the steps, and what
// stands round collectives. The rest, most of a file, is let go as it comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "replay/trace/rank_trace.hpp"
#include "replay/trace/trace_event.hpp"

namespace mlsim::replay {

/// Knows "allreduce", "_allgather_base", "nccl:all_to_all", "c10d::alltoall_base_"; returns nothing for what is none.
std::optional<CollectiveKind> collective_named(std::string_view name);

/// Says whether a kernel of this name communicates.
bool is_communication(std::string_view kernel);

/// Says whether a kernel communicates that was launched in a `c10d::`, `symm_mem::` or `deep_ep::` operator. PyTorch's
/// own kernels (at::native) cut, join and scale the buffers there, and fused operators multiply.
bool exchanges(const TraceEvent& operation, std::string_view kernel);

/// Names a kernel's collective: by the profiler, else the annotation round its launch, else its name. `annotation`
/// ("nccl:all_reduce") and `operation` ("c10d::allreduce_") stand round the launch; either may lack.
RecordedCollective recorded_collective(const TraceEvent& kernel, const TraceEvent* annotation,
                                       const TraceEvent* operation);

struct GatheredWork {
  RecordedKind kind = RecordedKind::compute;
  std::int64_t stream = 0, correlation = -1;  // -1: none
  std::size_t name = 0;
  double begin_us = 0, duration_us = 0;
  std::size_t communication = 0;  // of collectives, index into GatheredEvents::communications
};

struct HostLaunch {
  double begin_us = 0, duration_us = 0;
  std::int64_t thread = 0;
};

class GatheredEvents {
 public:
  void add(const TraceEvent& e);
  /// Call this once, behind the last event.
  void sort();

  const std::vector<GatheredWork>& work() const { return work_; }
  const std::vector<std::string>& names() const { return names_; }
  const TraceEvent& communication(const GatheredWork& work) const { return communications_[work.communication]; }
  const std::vector<TraceEvent>& steps() const { return steps_; }
  /// Returns null where the file has no launch of the work, as in graphs.
  const HostLaunch* launch_of(const GatheredWork& work) const;
  /// Return the innermost annotation (nccl:) or operator of communication that spans the launch; null where none does.
  const TraceEvent* annotation_of(const HostLaunch& launch) const;
  const TraceEvent* operation_of(const HostLaunch& launch) const;
  /// Returns the span from the first launch or work to the last work's end. Needs work.
  RecordedStep whole() const;

 private:
  std::size_t index_of(const std::string& name);
  const TraceEvent* around(const HostLaunch& launch, std::initializer_list<std::string_view> prefixes) const;

  std::vector<GatheredWork> work_;
  std::vector<TraceEvent> communications_, steps_;
  std::unordered_map<std::int64_t, HostLaunch> launches_;
  std::map<std::int64_t, std::vector<TraceEvent>> around_;  // by thread
  std::unordered_map<std::string, std::size_t> known_;
  std::vector<std::string> names_;
};

}  // namespace mlsim::replay
