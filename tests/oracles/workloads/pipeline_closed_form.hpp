// The step of a pipeline by formula: the second answer beside its schedule.
#pragma once

#include <vector>

#include "core/units.hpp"
#include "tests/namespace.hpp"
#include "workloads/pipeline/schedule.hpp"

namespace mlsim::test {

/// Idle part of the step where all passes of all chunks take equally long and transfers nothing:
/// (p - 1) / (v m + p - 1) with p stages, v chunks, m micro-batches; against the time without a bubble (p - 1) / (v m).
double bubble_fraction(const PipelineShape& shape);

/// The step of gpipe or 1f1b where stage s takes `forward[s]` and `backward[s]` a micro-batch and transfers nothing.
/// For gpipe, whose forward passes leave the pipe before the backward passes enter it, the times of both pipes, each
/// sum_s t_s + (m - 1) max_s t_s. For 1f1b the same of t = f + b, which is exact for equal stages and otherwise an
/// upper bound: a slow stage hides part of what others do before and behind it.
Seconds pipeline_time(PipelineSchedule schedule, const std::vector<Seconds>& forward,
                      const std::vector<Seconds>& backward, int micro_batches);

}  // namespace mlsim::test
