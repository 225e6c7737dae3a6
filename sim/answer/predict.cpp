#include "sim/answer/predict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "core/units_text.hpp"
#include "sim/answer/step_breakdown.hpp"
#include "sim/exchange/planned_exchange.hpp"
#include "sim/job/asked_price.hpp"
#include "sim/job/input_pipeline.hpp"
#include "sim/job/job.hpp"
#include "sim/job/job_clock.hpp"
#include "sim/job/job_rules.hpp"
#include "sim/kernel_cost/kernel_cost.hpp"
#include "sim/links/link_kind_name.hpp"
#include "sim/plan/memory_check.hpp"
#include "sim/plan/plan.hpp"
#include "sim/speed/costed_step.hpp"
#include "sim/speed/horovod.hpp"
#include "sim/speed/kernel_basis.hpp"
#include "sim/speed/measure_next.hpp"
#include "sim/speed/step_spread.hpp"
#include "sim/speed/step_times.hpp"
#include "sim/step/step.hpp"

namespace mlsim::sim {
namespace {

// "all-reduce", "all-reduce over tensor", "send-receive".
std::string exchange_name(const ExchangeKey& key, bool one_axis) {
  return one_axis || key.axes.empty() ? std::string(name(key.kind))
                                      : fmt::format("{} over {}", name(key.kind), to_text(key.axes));
}

// Most steps use one algorithm for all their collectives: it is named once.
void add_collectives(Prediction& prediction, const LoweredPlan& lowered) {
  struct Use {
    std::vector<std::string> exchanges;
    const PlannedExchange* planned = nullptr;
  };
  std::optional<ProvenanceEntry> rates;
  std::map<std::string, Use> by_algorithm;  // or by what was measured
  for (const auto& [key, planned] : lowered.collectives) {
    if (!rates) rates = planned.rates();
    Use& use = by_algorithm[planned.name()];
    const std::string exchange = exchange_name(key, !lowered.mesh);
    if (std::find(use.exchanges.begin(), use.exchanges.end(), exchange) == use.exchanges.end())
      use.exchanges.push_back(exchange);
    use.planned = &planned;
  }
  if (rates) prediction.provenance.push_back(*rates);
  for (const auto& [algorithm, use] : by_algorithm) {
    auto& text = prediction.inputs.collective;
    const std::string exchanges = fmt::format("{}", fmt::join(use.exchanges, ", "));
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", exchanges, use.planned->text());
    prediction.provenance.push_back(use.planned->provenance(exchanges));
  }
  if (!lowered.mesh) return;
  prediction.provenance.push_back({"device mesh",
                                   fmt::format("{}: {}", lowered.mesh->mesh.text(), lowered.mesh->reason),
                                   {Provenance::fitted, "closed form on the system's own links", ""}});
}

void add_inputs(Prediction& prediction, const PredictRequest& request, const Plan& plan, const LoweredPlan& lowered) {
  auto& inputs = prediction.inputs;
  inputs.topology = plan.cluster.name;
  inputs.workload = plan.model.name;
  inputs.sample = plan.model.sample;
  inputs.accelerator = plan.cluster.accelerator.name;
  inputs.parallelism = to_text(plan.step.parallelism);
  if (plan.pipeline) inputs.parallelism += fmt::format(", micro_batches={}", plan.step.micro_batches);
  inputs.precision = std::string(name(plan.step.precision));
  inputs.fidelity = std::string(name(request.fidelity));
  inputs.recipe = plan.recipe;
  inputs.accelerators = plan.cluster.ranks();
  inputs.global_batch = plan.global_batch;
  inputs.batch_per_accelerator = plan.global_batch / plan.cluster.ranks();
  inputs.seed = request.seed.value_or(0);
  inputs.settings = request.settings;
  add_collectives(prediction, lowered);
}

void add_provenance(Prediction& prediction, const CostedStep& step) {
  const Plan& plan = step.plan();
  const auto& accelerator = plan.cluster.accelerator;
  for (auto& entry : kernel_entries(step.cost(), step.kernels())) prediction.provenance.push_back(std::move(entry));
  prediction.provenance.push_back({"fixed step time",
                                   fmt::format("{} ({})", to_text(plan.stack.step_overhead),
                                               plan.stack.stack.empty() ? "no stack" : plan.stack.stack),
                                   plan.stack.source});
  if (accelerator.memory.value.value > 0) {
    prediction.provenance.push_back({"memory", to_text(accelerator.memory.value), accelerator.memory.source});
  }
  if (plan.cluster.ranks() < 2) return;
  // Every kind of link that the system has, once.
  std::vector<bool> seen(plan.efficiency.by_kind.size(), false);
  for (LinkIndex i = 0; i < plan.cluster.links(); ++i) {
    const LinkKind kind = plan.cluster.link(i).kind;
    if (seen[static_cast<std::size_t>(kind)]) continue;
    seen[static_cast<std::size_t>(kind)] = true;
    const auto& entry = plan.efficiency[kind];
    const bool of_library = kind == LinkKind::nic && !plan.efficiency.communicator.empty();
    prediction.provenance.push_back(
        {fmt::format("{} links", link_kind_name(kind)),
         fmt::format("{} a direction, {:.3g} % of it reached{}{}", to_text(plan.cluster.link(i).bandwidth),
                     100 * entry.share, of_library ? " by " : "", of_library ? plan.efficiency.communicator : ""),
         entry.source});
  }
}

// The step takes the longer of itself and its input.
Seconds add_input(Prediction& prediction, const Plan& plan, StepOutcome& outcome) {
  const InputPipeline input = input_pipeline(plan);
  const Seconds wait = input.wait(plan.global_batch, outcome.time);
  delay_by_input(outcome, wait);
  for (const auto& entry : input.assumptions) prediction.provenance.push_back(entry);
  for (const auto& stage : input.stages) {
    prediction.provenance.push_back(
        {stage.name, fmt::format("{:.3g} samples/s: {}", stage.rate.value, stage.what), stage.source});
  }
  const InputStage* slowest = input.slowest();
  if (slowest == nullptr) return wait;
  prediction.input = Prediction::Input{slowest->rate, slowest->name, wait.value > 0};
  if (wait.value > 0) {
    prediction.warnings.push_back(
        fmt::format("input limits: {} delivers {:.3g} samples/s ({}); every step waits {} for it", slowest->name,
                    slowest->rate.value, slowest->what, to_text(wait)));
  }
  return wait;
}

// The step is the mean of the drawn ones; what they take longer is waiting for the slowest.
void add_stragglers(Prediction& prediction, const std::optional<StepDistribution>& distribution) {
  if (!distribution) return;
  prediction.step_distribution = distribution;
  const Seconds longer = distribution->mean - prediction.step.time;
  prediction.step.time = distribution->mean;
  // One rank waits for nobody: its drawn steps are a little shorter or longer than the mean one.
  (prediction.inputs.accelerators > 1 && longer.value > 0 ? prediction.step.straggler_wait : prediction.step.compute) +=
      longer;
}

// A throughput that the user has measured stands for the simulated one in the job; the step stays as simulated.
void take_throughput(Prediction& prediction, PerSecond given) {
  prediction.warnings.push_back(
      fmt::format("throughput={:g} is taken as given: job and cost follow from it, not from the step shown, which "
                  "gives {:.4g} samples/s",
                  given.value, prediction.throughput.value));
  prediction.provenance.push_back(
      {"throughput", fmt::format("{:g} samples/s", given.value), {Provenance::measured, "given by the user", ""}});
  prediction.throughput = given;
}

void add_simulation(Prediction& prediction, Fidelity fidelity, const StepOutcome& outcome) {
  auto& simulation = prediction.simulation;
  simulation.fidelity = std::string(name(fidelity));
  simulation.engine = outcome.engine;
  simulation.ranks = prediction.inputs.accelerators;
  simulation.classes = outcome.classes;
  simulation.flows = outcome.flows;
  simulation.events = outcome.events;
}

Seconds forward_time(const Timeline& timeline) {
  Seconds time;
  for (const auto& span : timeline.spans) {
    if (span.rank_class == 0 && span.part == StepPart::forward) time += span.end - span.begin;
  }
  return time;
}

}  // namespace

Prediction predict(const PredictRequest& request, Timeline* timeline) {
  const auto started = std::chrono::steady_clock::now();
  const CostedStep step = costed_step(request);
  const Plan& plan = step.plan();
  const LoweredPlan& lowered = step.lowered();
  const StepInputs inputs = step.cost().inputs(request.fidelity);

  StepOutcome outcome = simulate_step(inputs);
  const int ranks = plan.cluster.ranks();

  Prediction prediction;
  prediction.warnings = step.warnings();
  add_inputs(prediction, request, plan, lowered);
  const Seconds input_wait = add_input(prediction, plan, outcome);
  prediction.step = step_breakdown(outcome, plan, step.cost().nominal_time() + input_wait);
  add_stragglers(prediction, step_distribution(straggler_model(request.settings, request.seed.value_or(0)), lowered,
                                               inputs, outcome));
  prediction.throughput = plan.global_batch / prediction.step.time;
  const SingleRank single = single_rank(plan, step.kernels());
  prediction.speedup = ranks * (single.time / prediction.step.time);
  prediction.scaling_efficiency = prediction.speedup / ranks;
  prediction.mfu = single.model_flop / (prediction.step.time * step.kernels().peak());
  prediction.memory = memory_answer(plan);
  const AnchoredSpeed& speed = step.speed();
  const double spread = step_spread(prediction.step, step.cost(), lowered, speed.log_spread);
  prediction.interval.step_time = lognormal_interval(prediction.step.time.value, spread);
  prediction.distance = kernel_distance(step.cost(), step.kernels(), speed.distance);
  if (follows_speed(step.cost()))
    prediction.provenance.insert(prediction.provenance.begin(), speed.provenance.begin(), speed.provenance.end());
  add_provenance(prediction, step);
  if (request.own_profiles > 0)
    prediction.measure_next = measure_next(plan, lowered, step.kernels(), prediction.step.time, speed.log_spread);
  if (lowered.cycles)
    prediction.provenance.push_back({"Horovod",
                                     horovod_text(*lowered.cycles, horovod_options(plan.settings)),
                                     {Provenance::published, "horovod/horovod, horovod/common/operations.cc", ""}});
  const auto given = job_rules(request.settings).throughput;
  if (given) take_throughput(prediction, *given);
  add_price(prediction, request, plan, single.time);
  add_job(prediction, request, plan, forward_time(outcome.timeline), given ? 0 : spread);

  add_simulation(prediction, request.fidelity, outcome);
  prediction.simulation.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  if (timeline != nullptr) *timeline = outcome.timeline;
  return prediction;
}

}  // namespace mlsim::sim
