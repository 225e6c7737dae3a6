#include "sim/plan/lowered_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "core/text/errors.hpp"
#include "sim/collectives/nccl/nccl_planner.hpp"
#include "sim/exchange/measured_collective.hpp"
#include "sim/mesh/communicator.hpp"
#include "sim/mesh/simulate_collective.hpp"
#include "sim/parameter_server/server_exchange.hpp"
#include "workloads/pipeline/pipeline_memory.hpp"

namespace mlsim::sim {
namespace {

// Sums by key what the ranks of the step exchange.
std::map<ExchangeKey, Traffic> traffic_of(const StepGraph& graph) {
  std::map<ExchangeKey, Traffic> traffic;
  for (const StepNode& node : graph) {
    if (!is_exchange(node)) continue;
    Traffic& sum = traffic[key_of(node)];
    sum.largest = max(sum.largest, node.payload);
    sum.count += node.repeats;
    sum.total += node.payload * node.repeats;
    if (std::find(sum.payloads.begin(), sum.payloads.end(), node.payload) == sum.payloads.end())
      sum.payloads.push_back(node.payload);
  }
  return traffic;
}

// NCCL 1, which TensorFlow of 2017 calls, has one ring in the order of the devices.
bool by_nccl_1(const Plan& plan) {
  return plan.options.software.servers.update == VariableUpdate::replicated && plan.cluster->nodes == 1;
}

// All collectives take this algorithm; empty where each takes its quickest.
std::optional<std::string> forced_algorithm(const Plan& plan) {
  if (plan.options.exchange.algorithm) return plan.options.exchange.algorithm;
  return by_nccl_1(plan) ? std::optional<std::string>("ring") : std::nullopt;
}

NcclRequest nccl_request(const ExchangeOptions& exchange, const std::optional<std::string>& algorithm) {
  return {exchange.choice == AlgorithmChoice::nccl, exchange.protocol, algorithm};
}

// The hops of a plan's system, as it is and without slow and failed links: servers and single ranks need neither.
struct Hops {
  const Plan& plan;
  QuestionHops& tables;

  HopTable& as_it_is() const { return tables.on(plan.cluster, plan.efficiency).hops; }
  HopTable& sound() const { return sound_meshes().hops; }
  MeshTable& sound_meshes() const { return tables.on(plan.sound ? plan.sound : plan.cluster, plan.efficiency); }
};

// A `WholeExchange` runs between all ranks; `plan_on` plans it on the hops of a cluster, by the quickest schedule or by one
// that is asked for.
struct WholeExchange {
  CollectiveKind kind;
  Bytes element;
  const Traffic& traffic;
  std::function<PlannedCollective(HopTable&, const std::optional<std::string>& forced)> plan_on;
};

const Cluster& sound_cluster(const Plan& plan) { return plan.sound ? *plan.sound : *plan.cluster; }

LinkEfficiency scaled(LinkEfficiency links, double messages, double bytes) {
  for (auto& entry : links.by_kind) entry = {entry.share / bytes, messages * entry.message, entry.source};
  return links;
}

// On the links returned, a schedule takes the known time of the largest payload and nearly that of the mean one.
LinkEfficiency bent_links(const LinkEfficiency& links, const ScheduleCost& quickest, const MeasuredCollective& known,
                          const Traffic& traffic) {
  constexpr double kApart = 8;  // where all payloads are one
  const Bytes large = traffic.largest, mean = traffic.total / traffic.count;
  const Bytes small = mean < 0.9 * large ? mean : large / kApart;
  const Seconds empty = quickest.time(Bytes(0)), moving = quickest.time(large) - empty;
  const Seconds between = quickest.time(large) - quickest.time(small);
  const double rise = between > Seconds(0) ? (known.time(large) - known.time(small)) / between : 1;
  const double bytes = moving > Seconds(0) ? std::min(rise, known.time(large) / moving) : 1;
  const double messages = empty > Seconds(0) ? (known.time(large) - bytes * moving) / empty : 1;
  return scaled(links, std::max(0.0, messages), bytes);
}

std::function<Seconds(Bytes)> time_of(const MeasuredCollective& known) {
  return [&known](Bytes payload) { return known.time(payload); };
}

// Returns links on which none of the schedules, with links of their own, is quicker than `known` at any payload of the
// step. They are found step by step, since the hardware's own latencies stay as they are.
LinkEfficiency known_links(LinkEfficiency links, const std::vector<const Schedule*>& schedules, const Cluster& cluster,
                           const std::function<Seconds(Bytes)>& known, const Traffic& traffic, double least) {
  constexpr int kSteps = 12;
  constexpr double kNear = 1e-6;
  for (int i = 0; i < kSteps; ++i) {
    HopTable hops(cluster, links);
    double factor = least;
    for (const Schedule* schedule : schedules) {
      const ScheduleCost cost(*schedule, hops);
      for (const Bytes payload : traffic.payloads)
        if (const Seconds time = cost.time(payload); time > Seconds(0))
          factor = std::max(factor, known(payload) / time);
    }
    links = scaled(links, factor, factor);
    if (i > 0 && factor < 1 + kNear) break;
  }
  return links;
}

PlannedCollective on_links(PlannedCollective planned, const Cluster& cluster, LinkEfficiency links) {
  HopTable hops(cluster, links);
  planned.cost = ScheduleCost(planned.schedule, hops);
  planned.closed_form = planned.cost.time(Bytes(static_cast<double>(planned.schedule.elements)));
  planned.links = std::move(links);
  return planned;
}

// Returns the factor by which the flows of a schedule take longer than its closed form, where its lanes share links.
double flows_over_formula(const PlannedCollective& planned, const Cluster& cluster, const LinkEfficiency& links,
                          Bytes bytes) {
  const Seconds formula = closed_form_time(planned.schedule, cluster, links, bytes);
  if (formula <= Seconds(0)) return 1;
  const CollectiveTime flows =
      simulate_collective(planned.schedule, cluster, links, bytes, Fidelity::folded, Engine::max_min);
  return (flows.time - links.call) / formula;
}

Seconds time_of_all(const ScheduleCost& cost, const Traffic& traffic) {
  Seconds sum;
  for (const Bytes payload : traffic.payloads) sum += cost.time(payload);
  return sum;
}

// Formulas take the plainest of schedules that they cannot tell apart on sound links; that a slow link tells them apart
// makes none of them quicker. So one that would be quicker on sound links than `sound`, by formula or as flows, is
// given links on which it is not, or `sound` is kept, whichever takes less.
PlannedCollective never_quicker(PlannedCollective planned, PlannedCollective sound, const Plan& plan,
                                const Traffic& traffic) {
  const LinkEfficiency links = planned.links.value_or(plan.efficiency);
  const LinkEfficiency links_of_sound = sound.links.value_or(plan.efficiency);
  const bool other = planned.schedule.algorithm != sound.schedule.algorithm;
  const double flows = other ? flows_over_formula(sound, *plan.sound, links_of_sound, traffic.largest) /
                                   flows_over_formula(planned, *plan.sound, links, traffic.largest)
                             : 1;
  const double factor = std::max(1.0, flows);
  HopTable hops(*plan.sound, links);
  const ScheduleCost cost(planned.schedule, hops);
  const auto least = [&](Bytes payload) { return factor * sound.cost.time(payload); };
  const bool quicker = std::any_of(traffic.payloads.begin(), traffic.payloads.end(),
                                   [&](Bytes payload) { return cost.time(payload) < least(payload); });
  if (!quicker) return planned;
  planned.reason.add("; no quicker than ", named("on_sound_links", sound.schedule.algorithm), " on sound links");
  const LinkEfficiency known = known_links(links, {&planned.schedule}, *plan.sound, least, traffic, 1);
  planned = on_links(std::move(planned), *plan.cluster, known);
  sound.reason.add("; as on sound links");
  PlannedCollective kept = on_links(std::move(sound), *plan.cluster, links_of_sound);
  return flows * time_of_all(kept.cost, traffic) <= time_of_all(planned.cost, traffic) ? kept : planned;
}

// Plans with `plan_on` on the system as it is, never quicker than on the sound one.
template <class PlanOn>
PlannedCollective planned_as_it_is(const Plan& plan, const Hops& hops, const Traffic& traffic, const PlanOn& plan_on) {
  if (!plan.sound) return plan_on(hops.as_it_is());
  return never_quicker(plan_on(hops.as_it_is()), plan_on(hops.sound()), plan, traffic);
}

// A schedule that is asked for runs on links on which the quickest takes about what NCCL's structure says, so that it
// is never quicker than where nothing is asked for.
PlannedCollective planned_as_asked(const WholeExchange& exchange, const MeasuredCollective* known, const Plan& plan,
                                   const Hops& hops) {
  return planned_as_it_is(plan, hops, exchange.traffic, [&](HopTable& on) {
    PlannedCollective planned = exchange.plan_on(on, forced_algorithm(plan));
    if (!known || known->measured_here() || by_nccl_1(plan) || exchange.traffic.largest <= Bytes(0)) return planned;
    const PlannedCollective quickest = exchange.plan_on(hops.sound(), {});
    LinkEfficiency links =
        known_links(bent_links(plan.efficiency, quickest.cost, *known, exchange.traffic),
                    {&planned.schedule, &quickest.schedule}, sound_cluster(plan), time_of(*known), exchange.traffic, 0);
    return on_links(std::move(planned), on.cluster(), std::move(links));
  });
}

PlannedExchange planned_whole(const WholeExchange& exchange, const Plan& plan, const Hops& hops) {
  const std::string library = communicator(*plan.cluster, plan.options.exchange.communicator);
  auto known = plan.measured.of(exchange.kind, library, exchange.element);
  if (forced_algorithm(plan)) return planned_as_asked(exchange, known.get(), plan, hops);
  const PlannedCollective sound = exchange.plan_on(hops.sound(), {});
  PlannedCollective planned =
      plan.sound ? never_quicker(exchange.plan_on(hops.as_it_is(), {}), sound, plan, exchange.traffic) : sound;
  if (!known) return planned;
  return MeasuredExchange(std::move(known), std::move(planned), sound.cost);
}

// NCCL chooses the schedules itself, never quicker than NCCL's structure.
PlannedExchange planned_by_nccl(const Plan& plan, const Hops& hops, CollectiveKind kind, const Traffic& traffic,
                                const NcclRequest& request) {
  const auto known = plan.measured.of(kind, "nccl", plan.step.gradient_element);
  return planned_as_it_is(plan, hops, traffic, [&](HopTable& on) {
    PlannedCollective planned = plan_with_nccl(on.cluster(), kind, traffic.largest, plan.efficiency, request);
    if (!known || known->measured_here()) return planned;
    LinkEfficiency links = known_links(planned.links.value_or(plan.efficiency), {&planned.schedule},
                                       sound_cluster(plan), time_of(*known), traffic, 1);
    return on_links(std::move(planned), on.cluster(), std::move(links));
  });
}

// Exchanges go through servers where there are any, and by NCCL's variants where they are asked for.
PlannedExchange planned_for_all(const Plan& plan, const Hops& hops, CollectiveKind kind, const Traffic& traffic) {
  if (const auto& servers = plan.software.servers)
    return plan_server_exchange(*plan.cluster, *servers, kind, plan.efficiency);
  const NcclRequest request = nccl_request(plan.options.exchange, forced_algorithm(plan));
  if (request.asks()) return planned_by_nccl(plan, hops, kind, traffic, request);
  const auto plan_on = [&](HopTable& on, const std::optional<std::string>& forced) {
    return plan_in_groups(whole_layout(on.cluster()), kind, traffic.largest, on, forced);
  };
  return planned_whole({kind, plan.step.gradient_element, traffic, plan_on}, plan, hops);
}

// Gradients have a precision of their own, all else that of the step.
PlannedExchange planned_in_mesh(const Plan& plan, const Hops& hops, const DeviceMesh& mesh, const ExchangeKey& key,
                                const Traffic& traffic, StageChoices& stages) {
  const auto plan_on = [&](HopTable& on, const std::optional<std::string>& forced) {
    return plan_exchange(on, mesh, key, traffic.largest, forced, plan.sound ? nullptr : &stages);
  };
  const bool whole =
      !key.axes.empty() && plan.step.parallelism[Axis::pipeline] == 1 && mesh.layout(*plan.cluster, key.axes).whole;
  const Bytes element = key.axes.has(Axis::data) ? plan.step.gradient_element : element_size(plan.step.precision);
  if (!whole)
    return planned_as_it_is(plan, hops, traffic, [&](HopTable& on) { return plan_on(on, forced_algorithm(plan)); });
  return planned_whole({key.kind, element, traffic, plan_on}, plan, hops);
}

// NCCL's tuner is modelled here with all ranks in one communicator.
void check_nccl_axes(const Plan& plan) {
  if (nccl_request(plan.options.exchange, {}).asks() && plan.cluster->ranks() > 1)
    throw Infeasible(fmt::format(
        "choice=nccl and protocol= are for exchanges between all ranks, not for {}; data={} "
        "without parameter servers works",
        plan.software.servers ? "parameter servers" : to_text(plan.step.parallelism), plan.cluster->ranks()));
}

QuestionCache::Planned planned(const Plan& plan, const QuestionCache::Said& said, QuestionHops& tables) {
  const Hops hops{plan, tables};
  QuestionCache::Planned result;
  const bool data_alone = said.parallelism == data_parallel(said.parallelism.ranks());
  if (!data_alone || said.to_servers) check_nccl_axes(plan);
  if (!data_alone) result.mesh = choose_mesh(hops.sound_meshes(), said.parallelism, said.traffic, said.mesh);
  StageChoices stages;
  for (const auto& [key, traffic] : said.traffic)
    result.collectives.emplace(key, data_alone ? planned_for_all(plan, hops, key.kind, traffic)
                                               : planned_in_mesh(plan, hops, result.mesh->mesh, key, traffic, stages));
  return result;
}

std::shared_ptr<const StepGraph> step_graph(const std::shared_ptr<const ModelPart>& part, const StepPlan& step,
                                            std::vector<QuestionCache::Graph>& known) {
  for (const QuestionCache::Graph& each : known)
    if (each.step == step && (each.part == part || same_part(*each.part, *part))) return each.graph;
  const auto lowered = [&] {
    return part->pipeline ? lower_pipeline(part->sharded, step, *part->pipeline) : lower(part->sharded, step);
  };
  constexpr std::size_t kKept = 4;  // software that a question leaves open is costed in turn for each batch
  if (known.size() == kKept) known.erase(known.begin());
  known.push_back({part, step, std::make_shared<const StepGraph>(lowered())});
  return known.back().graph;
}

std::vector<Bytes> offloaded(const ModelPart& part, const StepPlan& step) {
  if (step.offload.activations == 0) return {};
  std::vector<Bytes> roles = part.pipeline ? offloaded_by_stage(part.sharded, step, *part.pipeline)
                                           : std::vector{offloaded_per_sample(part.sharded, step)};
  for (Bytes& bytes : roles) bytes *= step.batch_per_accelerator;
  return roles;
}

}  // namespace

LoweredPlan lowered_alone(StepGraph graph, PlannedExchanges collectives) {
  return {std::make_shared<const StepGraph>(std::move(graph)), std::move(collectives), {}, {}};
}

LoweredPlan lower_plan(const Plan& plan, const std::optional<FusionCycles>& cycles, QuestionCache* cache) {
  StepPlan step = plan.step;
  step.cycles = cycles;
  QuestionCache own;
  QuestionCache& known = cache == nullptr ? own : *cache;
  LoweredPlan lowered{step_graph(plan.part, step, known.graphs), {}, {}, cycles, offloaded(*plan.part, step)};
  const QuestionCache::Said said{step.parallelism,      plan.options.parallelism.mesh,     element_size(step.precision),
                                 step.gradient_element, plan.software.servers.has_value(), traffic_of(*lowered.graph)};
  auto found = known.planned.find(said);
  if (found == known.planned.end()) found = known.planned.emplace(said, planned(plan, said, known.hops)).first;
  lowered.mesh = found->second.mesh;
  lowered.collectives = found->second.collectives;
  return lowered;
}

}  // namespace mlsim::sim
