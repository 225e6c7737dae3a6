// The step graph of a plan, the mesh it runs on, and how its collectives run.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>

#include "core/errors.hpp"
#include "sim/collectives/nccl/nccl_planner.hpp"
#include "sim/exchange/measured_collective.hpp"
#include "sim/mesh/communicator.hpp"
#include "sim/parameter_server/server_exchange.hpp"
#include "sim/plan/plan.hpp"

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

// Where the same between all ranks was measured, and no other way of doing it is asked for.
PlannedExchange measured_where_known(PlannedCollective planned, const Plan& plan, Bytes element,
                                     const std::optional<std::string>& forced) {
  if (forced) return planned;
  const std::string library = communicator(plan.cluster, plan.options.exchange.communicator);
  auto measured = plan.measured.of(planned.schedule.kind, library, element);
  if (!measured) return planned;
  return MeasuredExchange(std::move(measured), std::move(planned));
}

NcclRequest nccl_request(const ExchangeOptions& exchange, const std::optional<std::string>& algorithm) {
  return {exchange.choice == AlgorithmChoice::nccl, exchange.protocol, algorithm};
}

// By NCCL's variants where they are asked for.
PlannedExchange planned_for_all(const Plan& plan, CollectiveKind kind, Bytes bytes,
                                const std::optional<std::string>& forced) {
  const NcclRequest request = nccl_request(plan.options.exchange, forced);
  if (request.asks()) return plan_with_nccl(plan.cluster, kind, bytes, plan.efficiency, request);
  return measured_where_known(plan_collective(plan.cluster, kind, bytes, plan.efficiency, forced), plan,
                              plan.step.gradient_element, forced);
}

// Gradients have a precision of their own, all else that of the step.
PlannedExchange planned_in_mesh(const Plan& plan, const DeviceMesh& mesh, const ExchangeKey& key, Bytes bytes,
                                const std::optional<std::string>& forced) {
  PlannedCollective planned = plan_exchange(plan.cluster, mesh, key, bytes, plan.efficiency, forced);
  const bool whole =
      !key.axes.empty() && plan.step.parallelism[Axis::pipeline] == 1 && mesh.layout(plan.cluster, key.axes).whole;
  const Bytes element = key.axes.has(Axis::data) ? plan.step.gradient_element : element_size(plan.step.precision);
  if (!whole) return planned;
  return measured_where_known(std::move(planned), plan, element, forced);
}

// Its tuner is told of here with all ranks in one communicator.
void check_nccl_axes(const Plan& plan) {
  if (nccl_request(plan.options.exchange, {}).asks() && plan.cluster.ranks() > 1)
    throw Infeasible(
        fmt::format("choice=nccl and protocol= are for exchanges between all ranks, not for {}; data={} "
                    "without parameter servers works",
                    plan.servers ? "parameter servers" : to_text(plan.step.parallelism), plan.cluster.ranks()));
}

}  // namespace

LoweredPlan lower_plan(const Plan& plan, const std::optional<FusionCycles>& cycles) {
  StepPlan step = plan.step;
  step.cycles = cycles;
  LoweredPlan lowered{
      plan.pipeline ? lower_pipeline(plan.part, step, *plan.pipeline) : lower(plan.part, step), {}, {}, cycles};
  const auto traffic = traffic_of(lowered.graph);
  const ExchangeOptions& exchange = plan.options.exchange;
  std::optional<std::string> forced;
  if (exchange.algorithm) {
    forced = exchange.algorithm;
  } else if (plan.options.software.servers.update == VariableUpdate::replicated && plan.cluster.nodes == 1) {
    forced = "ring";  // NCCL 1, which TensorFlow of 2017 calls, has one ring in the order of the devices
  }
  const Parallelism& parallelism = plan.step.parallelism;
  if (parallelism != data_parallel(parallelism.ranks()) || plan.servers) check_nccl_axes(plan);
  if (parallelism == data_parallel(parallelism.ranks())) {
    for (const auto& [key, each] : traffic)
      lowered.collectives.emplace(key, plan.servers ? PlannedExchange(plan_server_exchange(plan.cluster, *plan.servers,
                                                                                           key.kind, plan.efficiency))
                                                    : planned_for_all(plan, key.kind, each.largest, forced));
    return lowered;
  }
  lowered.mesh = choose_mesh(plan.cluster, parallelism, traffic, plan.efficiency, plan.options.parallelism.mesh);
  for (const auto& [key, each] : traffic)
    lowered.collectives.emplace(key, planned_in_mesh(plan, lowered.mesh->mesh, key, each.largest, forced));
  return lowered;
}

}  // namespace mlsim::sim
