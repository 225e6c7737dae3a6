// node_times() says what each node of the step graph took, out of the spans of all ranks.
#pragma once

#include <vector>

#include "core/result/replay_run.hpp"
#include "replay/execution/gathered_spans.hpp"
#include "replay/namespace.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::replay {

/// Each list stands by rank.
struct SpansOfRanks {
  const std::vector<StepSpans>&whole, &kernels, &exchanges;
};

/// Returns the nodes in vertex order, without those that no rank ran.
std::vector<ReplayNode> node_times(const workloads::StepGraph& graph, const SpansOfRanks& spans);

}  // namespace mlsim::replay
