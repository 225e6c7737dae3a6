// The critical path is the chain of work that decides how long a simulated step takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/result/explanation.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/step/step_schedule.hpp"
#include "sim/step/timeline.hpp"

namespace mlsim::sim {

/// A `PathStep` is a stretch of the path on one class of ranks.
struct PathStep {
  std::optional<std::size_t> vertex;  // empty: nothing of the step graph runs, the rank waits
  std::uint32_t rank_class = 0;
  Seconds begin, end;
};

/// The path runs from the start of the step to its last end, without gaps: each stretch follows what ended last of all
/// that it waited for, an edge of the graph, the node before on its stream, or the rank that joined a collective last.
/// Of several that ended together it takes the one named later. Classes that the timeline does not hold are not
/// followed: a collective that waited for one of them counts in full.
std::vector<PathStep> critical_path(const StepSchedule& schedule, const Timeline& timeline);

/// The path has at most this many segments where it can be told in so few.
inline constexpr std::size_t kMostSegments = 20;

/// path_segments() tells a critical path of thousands of kernels in the few lines that a person reads.
/// Neighbours on the path that belong together become one segment: the same part of the step, block of layers and kind
/// of work; where that leaves more than kMostSegments, kinds of work together; then all blocks of a pass; then both
/// passes of a pipeline stage, and at last of all stages. Segments touch and cover the path.
std::vector<PathSegment> path_segments(const StepSchedule& schedule, const std::vector<PathStep>& path);

}  // namespace mlsim::sim
