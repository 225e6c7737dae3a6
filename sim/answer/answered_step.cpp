#include "sim/answer/answered_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text/units_text.hpp"
#include "sim/answer/answer_parts.hpp"
#include "sim/exchange/planned_exchange.hpp"
#include "sim/job/input_pipeline.hpp"
#include "sim/plan/plan.hpp"
#include "sim/plan/step_choice.hpp"
#include "sim/step/step_limit.hpp"

namespace mlsim::sim {
namespace {

// Gives the share of exposed communication that was measured, with the spread of its curves.
SpreadPart measured_exchange(const LoweredPlan& lowered) {
  Seconds all, measured, spread;
  for (const StepNode& node : *lowered.graph) {
    if (!is_exchange(node)) continue;
    const PlannedExchange& planned = lowered.collectives.at(key_of(node));
    const Seconds time = node.repeats * planned.time(node.payload);
    all += time;
    const std::optional<double> log_spread = planned.log_spread(node.payload);
    if (!log_spread) continue;
    measured += time;
    spread += time * *log_spread;
  }
  return measured.value > 0 ? SpreadPart{measured / all, spread / measured} : SpreadPart{};
}

using Spans = std::vector<std::pair<double, double>>;

// Gives the disjoint, sorted union of intervals.
Spans merged(Spans spans) {
  std::sort(spans.begin(), spans.end());
  Spans result;
  for (const auto& [begin, end] : spans) {
    if (end <= begin) continue;
    if (!result.empty() && begin <= result.back().second) {
      result.back().second = std::max(result.back().second, end);
    } else {
      result.emplace_back(begin, end);
    }
  }
  return result;
}

double length(const Spans& spans) {
  double total = 0;
  for (const auto& [begin, end] : spans) total += end - begin;
  return total;
}

// A `Remaining` has the moments of a step that no part has taken yet. Lengths are added up piece by piece, so that what
// is taken whole is taken to the last digit.
class Remaining {
 public:
  explicit Remaining(Seconds time) : free_{{0, time.value}} {}

  Seconds take(Spans spans) {
    const Spans wanted = merged(std::move(spans));
    Spans taken, left;
    auto first = wanted.begin();
    for (auto [begin, end] : free_) {
      while (first != wanted.end() && first->second <= begin) ++first;
      for (auto next = first; next != wanted.end() && next->first < end; ++next) {
        if (begin < next->first) left.emplace_back(begin, next->first);
        taken.emplace_back(std::max(begin, next->first), std::min(end, next->second));
        begin = taken.back().second;
      }
      if (begin < end) left.emplace_back(begin, end);
    }
    free_ = std::move(left);
    return Seconds(length(taken));
  }
  Seconds rest() const { return Seconds(length(free_)); }

 private:
  Spans free_;
};

// These spans are those of one class of ranks.
struct SpansByPart {
  Spans passes, optimizer, input, exchange, cycles, all_to_all;
  Seconds kernels;  // of the passes
};

SpansByPart spans_by_part(const Timeline& timeline, std::uint32_t rank_class) {
  SpansByPart parts;
  for (const Span& span : timeline.spans) {
    if (span.rank_class != rank_class) continue;
    const std::pair<double, double> interval{span.begin.value, span.end.value};
    if (span.collective == CollectiveKind::all_to_all) parts.all_to_all.push_back(interval);
    if (span.stream == Stream::communication || span.stream == Stream::exchange) {
      parts.exchange.push_back(interval);
      continue;
    }
    switch (span.part) {
      case StepPart::input: parts.input.push_back(interval); break;
      case StepPart::optimizer: parts.optimizer.push_back(interval); break;
      case StepPart::gradient_exchange: parts.cycles.push_back(interval); break;  // a wait, for Horovod's next cycle
      case StepPart::forward:
      case StepPart::backward:
        parts.passes.push_back(interval);
        if (span.stream == Stream::compute) parts.kernels += span.end - span.begin;
    }
  }
  return parts;
}

// Breaks down the outcome's shown class, of ranks that are all as fast. `framework` is what it adds before the first
// kernel. Every moment of the step is in one part: in the first of passes, optimizer, input, exchange and waits for
// Horovod's cycle that something runs of; what is left is the pipeline's bubble, or the exchange of other ranks.
StepBreakdown step_breakdown(const StepOutcome& outcome, const Plan& plan, Seconds framework) {
  SpansByPart parts = spans_by_part(outcome.timeline, outcome.shown_class);
  StepBreakdown result;
  result.time = outcome.time;
  result.communication = Seconds(length(merged(parts.exchange)));
  result.all_to_all = Seconds(length(merged(std::move(parts.all_to_all))));
  Remaining remaining(outcome.time);
  result.compute = remaining.take(std::move(parts.passes));  // layers on the host run beside kernels
  result.optimizer = remaining.take(std::move(parts.optimizer));
  result.input_wait = remaining.take(std::move(parts.input));
  result.exposed_communication = remaining.take(std::move(parts.exchange));
  result.overhead = remaining.take(std::move(parts.cycles));
  // Every rank was given the time of the one with the longest samples.
  result.straggler_wait = parts.kernels - parts.kernels / sample_skew(plan.model.sample_spread.value, plan.step);
  result.compute -= result.straggler_wait;
  const Seconds of_framework = min(framework, result.input_wait);
  result.overhead += of_framework;
  result.input_wait -= of_framework;
  // The rest is the pipeline's bubble, or time in which other ranks still exchange.
  const Seconds rest = remaining.rest();
  (plan.part->pipeline ? result.bubble : result.exposed_communication) += rest;
  if (!plan.part->pipeline) result.communication += rest;
  return result;
}

std::optional<Prediction::Input> input_answer(const InputPipeline& input, Seconds wait) {
  const InputStage* slowest = input.slowest();
  if (slowest == nullptr) return std::nullopt;
  return Prediction::Input{slowest->rate, slowest->name, wait.value > 0};
}

Notes input_notes(const InputPipeline& input, Seconds wait) {
  Notes notes;
  notes.provenance = input.assumptions;
  for (const auto& stage : input.stages) {
    notes.provenance.push_back({stage.name, {named("rate", stage.rate), ": ", stage.what}, stage.source});
  }
  const InputStage* slowest = input.slowest();
  if (slowest != nullptr && wait.value > 0) {
    notes.warnings.push_back(fmt::format("input limits: {} delivers {:.3g} samples/s ({}); every step waits {} for it",
                                         slowest->name, slowest->rate.value, slowest->what.text, to_text(wait)));
  }
  return notes;
}

std::string unmoved_note(std::uint64_t flows) {
  return fmt::format(
      "few ranks play the same part here: the step would move {:.1f} million flows, so formulas answer "
      "it; --fidelity fluid moves them all",
      static_cast<double>(flows) / 1e6);
}

// Says of a way to launch that was asked for that the step does not depend on it, and of a network that is no language
// model that it does where none was asked for; else empty.
std::optional<std::string> launch_note(const CostedStep& step) {
  const std::optional<LaunchMode>& launch = step.plan().options.software.launch;
  if (!launch && is_language_model(step.plan().model.sort)) return std::nullopt;
  const StepCost::HostFloor host = step.cost().host_floor();
  if (!launch && host.binds)
    return fmt::format(
        "kernels wait for their host, which takes {} a step to launch them; --set launch=graphs records them",
        to_text(host.time));
  if (!launch || host.binds) return std::nullopt;
  return fmt::format(
      "launch={} holds nothing up: the host takes {} for the kernels of the passes, the accelerator longer",
      name(*launch), to_text(host.time));
}

// Says where the link to the host holds the step up; empty where nothing is offloaded or kernels hide it.
std::optional<std::string> offload_note(const CostedStep& step) {
  const Plan& plan = step.plan();
  if (plan.step.offload.activations == 0) return std::nullopt;
  const Seconds wait = step.cost().offload_wait();
  if (wait <= Seconds(0)) return std::nullopt;
  return fmt::format(
      "offload={:g} limits: the link to the host's memory reaches {} for each accelerator, and every step waits {} for "
      "it",
      plan.step.offload.activations, to_text(reached_host_link(plan)), to_text(wait));
}

// Says how much an offloaded optimizer wants of the hosts, and what they have where it is known; empty without one.
std::optional<std::string> host_memory_note(const Plan& plan) {
  if (!plan.step.offload.optimizer) return std::nullopt;
  const int copies = plan.step.parallelism[Axis::replica] *
                     (plan.step.shards(StateSharding::optimizer) ? 1 : plan.step.parallelism[Axis::data]);
  const Bytes each = Bytes(4) + state_bytes_per_parameter(plan.step.optimizer);  // a weight in fp32 and its state
  const Bytes all = each * (copies * double(plan.model.trainable_parameters()));
  const auto& host = plan.cluster->host;
  const std::string size =
      host && host->memory
          ? fmt::format("which is {} in all", to_text(double(plan.cluster->hosts) * host->memory->value))
          : "whose size is not known here";
  return fmt::format("offload=optimizer wants {} of the hosts' memory, {}", to_text(all), size);
}

// Simulates the same step with all ranks as fast as the fastest; empty where they are.
std::optional<StepOutcome> step_of_fastest(StepInputs inputs) {
  const std::vector<double>& speed = inputs.cluster->rank_speed;
  if (speed.empty()) return std::nullopt;
  const auto [slowest, fastest] = std::minmax_element(speed.begin(), speed.end());
  if (*slowest == *fastest) return std::nullopt;
  Cluster even = *inputs.cluster;
  even.rank_speed.assign(speed.size(), *fastest);
  inputs.cluster = &even;
  return simulate_step(inputs);
}

// The extra time of ranks that differ is waiting for the slowest. Out of step they may share links less, and take less.
StepBreakdown lengthened(StepBreakdown step, Seconds time, int ranks) {
  const Seconds longer = time - step.time;
  step.time = time;
  if (ranks > 1 && longer.value > 0) {
    step.straggler_wait += longer;
    return step;
  }
  const Seconds unshared = min(max(Seconds(0), -longer), step.exposed_communication);
  step.exposed_communication -= unshared;
  step.communication -= unshared;
  step.compute += longer + unshared;  // one rank's drawn steps are a little shorter or longer than the mean one
  return step;
}

}  // namespace

double combined_spread(const std::vector<SpreadPart>& parts, double least) {
  double squares = 0;
  for (const SpreadPart& part : parts) squares += std::pow(part.share * part.log_spread, 2);
  return std::max(least, std::sqrt(squares));
}

double step_spread(const StepBreakdown& step, const StepCost& cost, const LoweredPlan& lowered,
                   AcceleratorFamily family, double fallback) {
  if (step.time.value <= 0) return fallback;
  std::vector<SpreadPart> parts;
  double rest = 1;
  const auto add = [&](double share, double log_spread) {
    if (share <= 0) return;
    parts.push_back({share, log_spread});
    rest -= share;
  };
  const double kernels = (step.compute + step.optimizer) / step.time;
  const auto shares = cost.basis_shares();
  for (const CostBasis basis : {CostBasis::measured, CostBasis::law, CostBasis::transferred}) {
    const auto& each = shares[static_cast<std::size_t>(basis)];
    add(kernels * each.share, each.log_spread);
  }
  const double framework = family == AcceleratorFamily::gpu ? (1 - rest) * kFrameworkSpread : 0;
  const SpreadPart exchange = measured_exchange(lowered);
  add(step.exposed_communication / step.time * exchange.share, exchange.log_spread);
  if (parts.empty()) return fallback;
  parts.push_back({std::max(0.0, rest), fallback});
  return combined_spread(parts, std::max(kLeastMeasuredSpread, framework));
}

AnsweredStep answered_step(const PredictRequest& request, const CostedStep& step) {
  const Plan& plan = step.plan();
  StepInputs inputs = step.inputs(request.fidelity);
  inputs.one_of_many = request.one_of_many;
  AnsweredStep answer;
  answer.outcome = simulate_step(inputs);
  const InputPipeline input = input_pipeline(plan);
  const Seconds wait = input.wait(plan.global_batch(), answer.outcome.time);
  delay_by_input(answer.outcome, wait);
  answer.input = input_answer(input, wait);
  answer.notes = input_notes(input, wait);
  if (answer.outcome.unmoved > 0) answer.notes.warnings.push_back(unmoved_note(answer.outcome.unmoved));
  for (auto& note : {launch_note(step), offload_note(step), host_memory_note(plan)})
    if (note) answer.notes.warnings.push_back(*note);
  std::optional<StepOutcome> even = step_of_fastest(inputs);
  if (even) delay_by_input(*even, wait);
  answer.breakdown = step_breakdown(even ? *even : answer.outcome, plan, step.cost().framework_time());
  if (plan.cluster->accelerator.family == AcceleratorFamily::gpu)
    answer.breakdown.launch = step.cost().launch_time(step.kernels());
  const int ranks = plan.cluster->ranks();
  if (even) answer.breakdown = lengthened(answer.breakdown, answer.outcome.time, ranks);
  answer.distribution =
      step_distribution(request.options.stragglers, request.seed.value_or(0), step.lowered(), inputs, answer.outcome);
  if (answer.distribution) answer.breakdown = lengthened(answer.breakdown, answer.distribution->mean, ranks);
  check_step_limit(answer.breakdown.time, answer.outcome.timeline);
  answer.log_spread =
      step_spread(answer.breakdown, step.cost(), step.lowered(), plan.cluster->accelerator.family, step.log_spread());
  return answer;
}

}  // namespace mlsim::sim
