#include "sim/answer/predicted_step.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <optional>
#include <utility>

#include "core/process/activity.hpp"
#include "core/text/units_text.hpp"
#include "sim/answer/answer_parts.hpp"
#include "sim/job/energy.hpp"
#include "sim/job/job.hpp"
#include "sim/job/job_clock.hpp"
#include "sim/kernel_cost/done_work.hpp"
#include "sim/options/options_text.hpp"
#include "sim/plan/part_memory.hpp"

namespace mlsim::sim {
namespace {

// Reads off the statement of a price its kind and regions, and when it was asked.
void add_price_inputs(Prediction::Inputs& inputs, const Notes& price) {
  for (const ProvenanceEntry& entry : price.provenance) {
    for (const NamedQuantity& quantity : entry.value.quantities) {
      if (quantity.name == "kind") inputs.price_kind = parse<PriceKind>(quantity.text);
      if (quantity.name == "region") inputs.price_region += (inputs.price_region.empty() ? "" : ", ") + quantity.text;
    }
    inputs.price_date = entry.source.date;
  }
}

Prediction::Inputs answered_inputs(const PredictRequest& request, const CostedStep& step, const std::string& target) {
  const Plan& plan = step.plan();
  Prediction::Inputs inputs;
  inputs.topology = plan.cluster->name;
  inputs.workload = plan.model.name;
  inputs.sample = plan.model.sample;
  inputs.accelerator = plan.cluster->accelerator.name;
  inputs.parallelism = to_text(plan.step.parallelism, plan.options.parallelism.whole_experts);
  if (plan.part->pipeline) inputs.parallelism += fmt::format(", micro_batches={}", plan.step.micro_batches);
  inputs.precision = plan.step.precision;
  inputs.fidelity = request.fidelity;
  if (plan.software.to_target || request.options.job.has_length()) inputs.recipe = plan.software.recipe;
  inputs.exchanges = exchange_statements(step.lowered());
  inputs.accelerators = plan.cluster->ranks();
  inputs.global_batch = plan.global_batch();
  inputs.batch_per_accelerator = plan.global_batch() / plan.cluster->ranks();
  inputs.seed = request.seed.value_or(0);
  inputs.settings = settings_of(request.options);
  inputs.target = target;
  inputs.stack = plan.software.stack.stack;
  inputs.optimizer = std::string(name(plan.step.optimizer));
  inputs.dataset = plan.model.dataset.name;
  const auto sequence = plan.model.parameters_of_file.find("sequence");
  if (sequence != plan.model.parameters_of_file.end()) inputs.sequence = static_cast<int>(sequence->second);
  return inputs;
}

// A throughput that the user has measured stands for the simulated one in the job; the step stays as simulated.
Notes notes_of(std::optional<PerSecond> measured, PerSecond simulated) {
  if (!measured) return {};
  return {{{"throughput",
            NamedQuantity{"throughput", "1/s", measured->value, fmt::format("{:g} samples/s", measured->value)},
            {Provenance::measured, "given by the user", ""}}},
          {fmt::format("throughput={:g} is taken as given: job and cost follow from it, not from the step shown, which "
                       "gives {:.4g} samples/s",
                       measured->value, simulated.value)}};
}

Trust answer_trust(const CostedStep& step, std::optional<PerSecond> measured) {
  if (measured) return {TrustLevel::measured, "the throughput is given"};
  const TrustWord word = kernel_trust(step.cost(), step.plan().cluster->accelerator.family, trust(step.basis()));
  const StepDifficulty how = step.difficulty();
  return {word.level, word.why, how.footing, log_difficulty(how, step.cost().nominal_time())};
}

Prediction::Simulation simulation_of(Fidelity asked, const StepOutcome& outcome, int ranks) {
  const Fidelity fidelity = outcome.unmoved > 0 ? Fidelity::closed : asked;
  return {fidelity, outcome.engine, ranks, outcome.classes, outcome.flows, outcome.events, {}};
}

Seconds forward_time(const Timeline& timeline) {
  Seconds time;
  for (const auto& span : timeline.spans) {
    if (span.rank_class == 0 && span.part == StepPart::forward) time += span.end - span.begin;
  }
  return time;
}

Notes joined(std::initializer_list<Notes> parts) {
  Notes all;
  for (const Notes& part : parts) {
    all.provenance.insert(all.provenance.end(), part.provenance.begin(), part.provenance.end());
    all.warnings.insert(all.warnings.end(), part.warnings.begin(), part.warnings.end());
  }
  return all;
}

// A step that is faster than the units of what it is called used others, whose peak is then what it is of.
FlopPerSecond peak_of(const CostedStep& step, FlopPerSecond rate) {
  const FlopPerSecond peak = step.kernels().peak();
  const Plan& plan = step.plan();
  return rate > peak ? fastest_peak(plan.cluster->accelerator, plan.step.precision, peak) : peak;
}

// Gives the step of one accelerator that the price index compares with.
StepAlone step_alone(const PredictRequest& request, const CostedStep& step, const SingleRank& single) {
  const Plan& plan = step.plan();
  if (!request.global_batch) return {plan.global_batch() / plan.cluster->ranks(), single.time};
  return {plan.global_batch(), whole_batch_time(plan.model, plan.step, plan.software.stack, step.kernels())};
}

// Gives the step with the blocks that run again counted in the whole model, and not in a stage's chunk.
StepPlan unstaged(const Plan& plan) {
  StepPlan step = plan.step;
  step.recompute_blocks *= step.parallelism[Axis::pipeline] * plan.options.parallelism.pipeline_chunks;
  return step;
}

// Says that an answer rests on an estimate of memory that is a little past what there is.
std::optional<std::string> memory_note(const Prediction::Memory& memory) {
  if (!memory.fits || memory.per_accelerator <= memory.capacity) return std::nullopt;
  return fmt::format(
      "{} of memory are estimated, {:.2g} % more than there is: runs on record fitted that were, but it may not",
      to_text(memory.per_accelerator), 100 * (memory.per_accelerator / memory.capacity - 1));
}

}  // namespace

PredictedStep::PredictedStep(const PredictRequest& request) : PredictedStep(request, QuestionCache()) {}

PredictedStep::PredictedStep(const PredictRequest& request, QuestionCache cache)
    : question_(settled(request, cache)),
      job_(request.options.job),
      step_(costed_step(question_, cache)),
      answer_(answered_step(question_.request, *step_)),
      single_(
          single_rank(step_->plan().model, unstaged(step_->plan()), step_->plan().software.stack, step_->kernels())),
      alone_(step_alone(request, *step_, single_)) {}

bool PredictedStep::answers(const PredictRequest& request) const {
  return question_.chosen.text.empty() || request.options.job == job_;
}

Prediction PredictedStep::prediction(const PredictRequest& request) const {
  const Activity activity("working out the job");
  const Plan& plan = step_->plan();
  const Seconds time = answer_.breakdown.time;
  const PerSecond simulated = plan.global_batch() / time;
  const std::optional<PerSecond> measured = request.options.job.throughput;
  const PriceAnswer price = price_answer(request, plan, time, alone_);
  const JobAnswer job = job_answer(
      request, plan,
      {measured.value_or(simulated), forward_time(answer_.outcome.timeline), measured ? 0 : answer_.log_spread},
      price.price);
  std::optional<Seconds> held;
  if (job.job) held = held_time(*job.job, *job.time_to_target);
  const EnergyAnswer energy = energy_answer(request.options.energy, *plan.cluster, held);
  Notes notes = joined({{exchange_provenance(*step_), step_->warnings()},
                        answer_.notes,
                        {machine_provenance(*step_), {}},
                        notes_of(measured, simulated),
                        price.notes,
                        energy.notes,
                        job.notes});

  Prediction prediction;
  prediction.inputs = answered_inputs(request, *step_, job.target);
  prediction.inputs.chosen = question_.chosen;
  prediction.layouts = question_.layouts;
  add_price_inputs(prediction.inputs, price.notes);
  prediction.step = answer_.breakdown;
  prediction.step_distribution = answer_.distribution;
  prediction.throughput = measured.value_or(simulated);
  prediction.speedup = plan.cluster->ranks() * (single_.time / time);
  prediction.scaling_efficiency = prediction.speedup / plan.cluster->ranks();
  prediction.mfu = single_.model_flop / (time * peak_of(*step_, single_.model_flop / time));
  if (plan.model.tokens > 0) {
    const PerSecond tokens = prediction.throughput * static_cast<double>(plan.model.tokens);
    const double ranks = plan.cluster->ranks();
    prediction.language = {tokens, tokens / ranks, single_.model_flop / time};
  }
  for (std::string& warning : notes_above_one(*step_, *prediction.mfu, prediction.scaling_efficiency))
    notes.warnings.push_back(std::move(warning));
  prediction.memory = memory_answer(*plan.part, plan.step, plan.cluster->accelerator.memory.value);
  if (auto warning = memory_note(prediction.memory)) notes.warnings.push_back(std::move(*warning));
  prediction.input = answer_.input;
  prediction.job = job.job;
  prediction.goodput = job.goodput;
  prediction.time_to_target = job.time_to_target;
  prediction.price = price.price;
  prediction.price_index = price.index;
  prediction.purchase = price.purchase;
  prediction.energy = energy.energy;
  prediction.cost = job.cost;
  prediction.cost_without_init = job.cost_without_init;
  prediction.interval = {lognormal_interval(time.value, answer_.log_spread), job.time_interval, job.cost_interval,
                         job.samples_interval, job.cost_without_init_interval};
  prediction.trust = answer_trust(*step_, measured);
  prediction.distance = kernel_distance(step_->cost(), step_->kernels(), distance(step_->basis()));
  prediction.simulation = simulation_of(request.fidelity, answer_.outcome, plan.cluster->ranks());
  prediction.provenance = notes.provenance;
  if (!request.own_profiles.empty()) prediction.measure_next = measure_next(*step_, time);
  prediction.warnings = notes.warnings;
  return prediction;
}

}  // namespace mlsim::sim
