// A `ReplayError` sets a measured run beside the prediction of it, and says what the difference is made of.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/result/replay_run.hpp"
#include "core/units.hpp"
#include "replay/namespace.hpp"
#include "sim/plan/request.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::replay {

/// The predicted step less the measured one has four parts that add up to it. Node times are exchanged one after the
/// other in the same graph: predicted ones, kernels as measured alone, exchanges as measured alone too, both as
/// measured in the step.
struct StepErrorSplit {
  Seconds kernel;      // kernels alone were predicted longer
  Seconds collective;  // exchanges alone were
  Seconds contention;  // less what kernels and exchanges cost each other when they run at once
  Seconds overlap;     // the rest: what the order of the streams hides, waits and what is in no node
};

struct ReplayNodeError {
  ReplayNode node;
  Seconds predicted;
};

struct ReplayError {
  Seconds predicted, measured;
  StepErrorSplit split;
  std::vector<ReplayNodeError> nodes;  // by vertex
  std::vector<std::string> warnings;   // of the prediction
  double relative() const { return predicted / measured - 1; }
};

/// A `JudgedReplay` holds the error of a run against a bound; its schema is replay/validation/replay_error.schema.json.
struct JudgedReplay {
  std::string run, time;  // what ran, and when it began
  ReplayError error;
  double bound = 0;  // of the relative error
};
std::string to_json(const JudgedReplay& judged);

/// Throws what sim::predict throws, and InputError with `file` where the run has other nodes than the graph that is
/// predicted.
ReplayError replay_error(const ReplayRun& run, const PredictRequest& question, const std::string& file);

/// The time goes from the beginning to the last node's end, on streams as a replay has them
/// (replay/execution/rank_step.hpp): each stage has one that computes, one for collectives, one for what it sends and
/// one for what it receives, each in vertex order. Host work takes no time. All ranks of a stage are alike.
Seconds graph_time(const StepGraph& graph, const std::function<Seconds(StepVertex)>& duration);

}  // namespace mlsim::replay
