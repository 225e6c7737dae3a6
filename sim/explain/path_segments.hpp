// path_segments() tells a critical path of thousands of kernels in the few lines that a person reads.
#pragma once

#include <vector>

#include "core/result/explanation.hpp"
#include "sim/explain/critical_path.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// The path has at most this many segments where it can be told in so few.
inline constexpr std::size_t kMostSegments = 20;

/// Neighbours on the path that belong together become one segment: the same part of the step, block of layers and kind
/// of work; where that leaves more than kMostSegments, kinds of work together; then all blocks of a pass; then both
/// passes of a pipeline stage, and at last of all stages. Segments touch and cover the path.
std::vector<PathSegment> path_segments(const StepSchedule& schedule, const std::vector<PathStep>& path);

}  // namespace mlsim::sim
