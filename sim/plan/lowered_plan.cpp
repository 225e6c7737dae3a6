#include "sim/plan/lowered_plan.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "core/errors.hpp"
#include "sim/collectives/nccl/nccl_planner.hpp"
#include "sim/exchange/measured_collective.hpp"
#include "sim/mesh/communicator.hpp"
#include "sim/parameter_server/server_exchange.hpp"

namespace mlsim::sim {
namespace {

// By key: what the ranks of the step say.
std::map<ExchangeKey, Traffic> traffic_of(const StepGraph& graph) {
  std::map<ExchangeKey, Traffic> traffic;
  for (auto [v, end] = boost::vertices(graph); v != end; ++v) {
    const StepNode& node = graph[*v];
    if (!is_exchange(node)) continue;
    Traffic& sum = traffic[key_of(node)];
    sum.largest = max(sum.largest, node.payload);
    sum.count += node.repeats;
    sum.total += node.payload * node.repeats;
  }
  return traffic;
}

// The algorithm that all collectives take; empty where each takes its quickest.
std::optional<std::string> forced_algorithm(const Plan& plan) {
  if (plan.options.exchange.algorithm) return plan.options.exchange.algorithm;
  // NCCL 1, which TensorFlow of 2017 calls, has one ring in the order of the devices.
  if (plan.options.software.servers.update == VariableUpdate::replicated && plan.cluster.nodes == 1) return "ring";
  return {};
}

// Where the same between all ranks was measured, and no other way of doing it is asked for.
PlannedExchange measured_where_known(PlannedCollective planned, const Plan& plan, Bytes element) {
  if (forced_algorithm(plan)) return planned;
  const std::string library = communicator(plan.cluster, plan.options.exchange.communicator);
  auto measured = plan.measured.of(planned.schedule.kind, library, element);
  if (!measured) return planned;
  return MeasuredExchange(std::move(measured), std::move(planned));
}

NcclRequest nccl_request(const ExchangeOptions& exchange, const std::optional<std::string>& algorithm) {
  return {exchange.choice == AlgorithmChoice::nccl, exchange.protocol, algorithm};
}

// Through servers where there are any, by NCCL's variants where they are asked for.
PlannedExchange planned_for_all(const Plan& plan, CollectiveKind kind, Bytes bytes) {
  if (const auto& servers = plan.software.servers)
    return plan_server_exchange(plan.cluster, *servers, kind, plan.efficiency);
  const auto forced = forced_algorithm(plan);
  const NcclRequest request = nccl_request(plan.options.exchange, forced);
  if (request.asks()) return plan_with_nccl(plan.cluster, kind, bytes, plan.efficiency, request);
  return measured_where_known(plan_collective(plan.cluster, kind, bytes, plan.efficiency, forced), plan,
                              plan.step.gradient_element);
}

// Gradients have a precision of their own, all else that of the step.
PlannedExchange planned_in_mesh(const Plan& plan, const DeviceMesh& mesh, const ExchangeKey& key, Bytes bytes) {
  PlannedCollective planned = plan_exchange(plan.cluster, mesh, key, bytes, plan.efficiency, forced_algorithm(plan));
  const bool whole =
      !key.axes.empty() && plan.step.parallelism[Axis::pipeline] == 1 && mesh.layout(plan.cluster, key.axes).whole;
  const Bytes element = key.axes.has(Axis::data) ? plan.step.gradient_element : element_size(plan.step.precision);
  if (!whole) return planned;
  return measured_where_known(std::move(planned), plan, element);
}

// Its tuner is told of here with all ranks in one communicator.
void check_nccl_axes(const Plan& plan) {
  if (nccl_request(plan.options.exchange, {}).asks() && plan.cluster.ranks() > 1)
    throw Infeasible(fmt::format(
        "choice=nccl and protocol= are for exchanges between all ranks, not for {}; data={} "
        "without parameter servers works",
        plan.software.servers ? "parameter servers" : to_text(plan.step.parallelism), plan.cluster.ranks()));
}

StepGraph step_graph(const ModelPart& part, const StepPlan& step) {
  return part.pipeline ? lower_pipeline(part.sharded, step, *part.pipeline) : lower(part.sharded, step);
}

}  // namespace

LoweredPlan lower_plan(const Plan& plan, const std::optional<FusionCycles>& cycles) {
  StepPlan step = plan.step;
  step.cycles = cycles;
  // Its collectives follow from the graph, which is made in its place: Boost copies a graph where it is to be moved.
  LoweredPlan lowered{step_graph(plan.part, step), {}, {}, cycles};
  const auto traffic = traffic_of(lowered.graph);
  const Parallelism& parallelism = step.parallelism;
  const bool data_alone = parallelism == data_parallel(parallelism.ranks());
  if (!data_alone || plan.software.servers) check_nccl_axes(plan);
  if (!data_alone)
    lowered.mesh = choose_mesh(plan.cluster, parallelism, traffic, plan.efficiency, plan.options.parallelism.mesh);
  for (const auto& [key, each] : traffic)
    lowered.collectives.emplace(key, data_alone ? planned_for_all(plan, key.kind, each.largest)
                                                : planned_in_mesh(plan, lowered.mesh->mesh, key, each.largest));
  return lowered;
}

}  // namespace mlsim::sim
