// graph_time() is how long a step graph takes whose nodes take given times: no links, no contention, only order.
#pragma once

#include <functional>

#include "core/units.hpp"
#include "replay/namespace.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::replay {

/// The time goes from the beginning to the last node's end, on streams as a replay has them
/// (replay/execution/rank_step.hpp): each stage has one that computes, one for collectives, one for what it sends and
/// one for what it receives, each in vertex order. Host work takes no time. All ranks of a stage are alike.
Seconds graph_time(const StepGraph& graph, const std::function<Seconds(StepVertex)>& duration);

}  // namespace mlsim::replay
