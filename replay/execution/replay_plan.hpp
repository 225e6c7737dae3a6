// A ReplayPlan is what the ranks of a replay run: the order's step graph, the same that a prediction simulates.
#pragma once

#include <vector>

#include "core/result/replay_run.hpp"
#include "replay/namespace.hpp"
#include "workloads/lowering/gradient_bucket.hpp"
#include "workloads/lowering/step_graph.hpp"
#include "workloads/lowering/step_plan.hpp"

namespace mlsim::replay {

struct ReplayPlan {
  workloads::Model model;
  workloads::StepPlan step;
  std::vector<workloads::GradientBucket> buckets;
  workloads::StepGraph graph;

  /// Returns the pipeline stage of a rank.
  int stage_of(int rank) const { return step.parallelism[workloads::Axis::pipeline] > 1 ? rank : 0; }
};

/// Throws InputError and Infeasible where the ranks cannot be laid out so: a pipeline has a stage on each rank.
ReplayPlan replay_plan(const ReplayOrder& order, int ranks);

}  // namespace mlsim::replay
