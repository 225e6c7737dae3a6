#include "replay/validation/replay_error.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/costed_step/costed_step.hpp"

namespace mlsim::replay {
namespace {

void check_nodes(const ReplayRun& run, const StepGraph& graph, const std::string& file) {
  std::map<std::size_t, const ReplayNode*> measured;
  for (const ReplayNode& node : run.nodes) measured[static_cast<std::size_t>(node.vertex)] = &node;
  for (StepVertex vertex = 0; vertex < graph.size(); ++vertex) {
    const auto found = measured.find(vertex);
    if (found == measured.end() || found->second->name != graph[vertex].name)
      throw InputError(file, fmt::format("ran another step graph than this mlsim predicts: node {} is \"{}\" here and "
                                         "{} there",
                                         vertex, graph[vertex].name,
                                         found == measured.end() ? "missing" : "\"" + found->second->name + "\""));
  }
}

enum class Lane { compute, collectives, sent, received };

using LaneOfStage = std::pair<int, Lane>;

std::vector<LaneOfStage> lanes_of(const StepNode& node) {
  if (node.kind == NodeKind::transfer) return {{node.role, Lane::sent}, {node.peer, Lane::received}};
  return {{node.role, is_exchange(node) ? Lane::collectives : Lane::compute}};
}

}  // namespace

ReplayError replay_error(const ReplayRun& run, const PredictRequest& question, const std::string& file) {
  const Prediction prediction = predict(question);
  const CostedStep step = costed_step(question);
  const StepGraph& graph = *step.lowered().graph;
  check_nodes(run, graph, file);
  const std::vector<Seconds> predicted = step.inputs(Fidelity::closed).duration;
  std::map<StepVertex, const ReplayNode*> measured;
  for (const ReplayNode& node : run.nodes) measured[static_cast<StepVertex>(node.vertex)] = &node;

  const auto foreseen = [&](StepVertex v) { return predicted[v]; };
  const auto alone = [&](StepVertex v) { return measured.at(v)->alone; };
  const auto in_step = [&](StepVertex v) { return measured.at(v)->in_step; };
  const Seconds all_foreseen = graph_time(graph, foreseen),
                kernels_alone =
                    graph_time(graph, [&](StepVertex v) { return is_exchange(graph[v]) ? foreseen(v) : alone(v); }),
                all_alone = graph_time(graph, alone), all_in_step = graph_time(graph, in_step);
  ReplayError error;
  error.predicted = prediction.step.time;
  error.measured = run.step_time.median;
  error.split.kernel = all_foreseen - kernels_alone;
  error.split.collective = kernels_alone - all_alone;
  error.split.contention = all_alone - all_in_step;
  error.split.overlap = (error.predicted - all_foreseen) + (all_in_step - error.measured);
  for (const ReplayNode& node : run.nodes)
    error.nodes.push_back({node, predicted[static_cast<StepVertex>(node.vertex)]});
  error.warnings = prediction.warnings;
  return error;
}

Seconds graph_time(const StepGraph& graph, const std::function<Seconds(StepVertex)>& duration) {
  std::vector<Seconds> end(graph.size());
  std::map<LaneOfStage, Seconds> free;
  Seconds last;
  for (StepVertex vertex = 0; vertex < graph.size(); ++vertex) {
    const StepNode& node = graph[vertex];
    Seconds begin;
    for (const StepVertex before : graph.predecessors(vertex)) begin = max(begin, end[before]);
    for (const LaneOfStage& lane : lanes_of(node)) begin = max(begin, free[lane]);
    end[vertex] = begin + (node.kind == NodeKind::host_work ? Seconds(0) : duration(vertex));
    for (const LaneOfStage& lane : lanes_of(node)) free[lane] = end[vertex];
    last = max(last, end[vertex]);
  }
  return last;
}

}  // namespace mlsim::replay
