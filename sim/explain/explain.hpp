// explain() says why a step takes as long as it does: by the critical path, and by what each resource contributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result/explanation.hpp"
#include "core/units.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/request.hpp"
#include "sim/step/step_schedule.hpp"
#include "sim/step/timeline.hpp"

namespace mlsim::sim {

/// Throws InputError for what is about many steps or the job where one step is looked at, with the ranks that are known
/// to be slow. Options of goodput pass where it is said.
void check_of_one_step(const PredictRequest& request, bool says_goodput = false);

/// Takes apart the step that predict() gives. Every what-if keeps the kernel speed that anchors gave for the real
/// machine, the algorithms that were chosen for it, and the gradients that Horovod fused. Throws as predict() does, and
/// InputError for options about many steps or the job.
Explanation explain(const PredictRequest& asked);

/// A `PathStep` is a stretch of the path on one class of ranks.
struct PathStep {
  std::optional<std::size_t> vertex;  // empty: nothing of the step graph runs, the rank waits
  std::uint32_t rank_class = 0;
  Seconds begin, end;
};

/// The path runs from the start of the step to its last end, without gaps: each stretch follows what ended last of all
/// that it waited for, an edge of the graph, the node before on its stream, or the rank that joined a collective last.
/// The path takes the one named later of several that ended together. It does not follow classes that the timeline does
/// not hold: a collective that waited for one of them counts in full.
std::vector<PathStep> critical_path(const StepSchedule& schedule, const Timeline& timeline);

/// The path has at most this many segments where it can be told in so few.
inline constexpr std::size_t kMostSegments = 20;

/// path_segments() tells a critical path of thousands of kernels in the few lines that a person reads.
/// Neighbours on the path that belong together become one segment: the same part of the step, block of layers and kind
/// of work; where that leaves more than kMostSegments, kinds of work together; then all blocks of a pass; then both
/// passes of a pipeline stage, and at last of all stages. Segments touch and cover the path.
std::vector<PathSegment> path_segments(const StepSchedule& schedule, const std::vector<PathStep>& path);

/// A `Resource` belongs to the machine, and says how to have more of it.
struct Resource {
  std::string name;         // "NIC bandwidth"
  bool of_kernels = false;  // else of what goes between ranks
  WhatIf more;              // 1 % more of it; of latency, 1 % more of what divides it
};
inline constexpr double kLittleMore = 1.01;

/// Lists what kernels and the links of the cluster are made of: matrix units, memory bandwidth, bandwidth and latency
/// of each kind of link that the cluster has, and the latency of a call where the library has one.
std::vector<Resource> resources_of(const Cluster& cluster, const LinkEfficiency& efficiency);

/// Says how the path spends its time, the largest share first; the shares sum to the path. A node's time is a sum of
/// terms that each divide by one resource, so that a term is what 1 % more of the resource takes away, times 1.01 /
/// 0.01; `more` holds the step under each of `resources`. The rest of a kernel is launches; that of a collective is
/// only rounding, which is spread. Other time is named by its cause: host, input, optimizer, slow ranks, contention.
std::vector<ResourceShare> resource_shares(const CostedStep& step, const std::vector<Resource>& resources,
                                           const std::vector<std::unique_ptr<const CostedStep>>& more,
                                           const std::vector<PathStep>& path);

}  // namespace mlsim::sim
