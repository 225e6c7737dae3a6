#include "sim/step/step.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "core/process/activity.hpp"
#include "sim/engine/child.hpp"
#include "sim/step/flow_run.hpp"
#include "sim/step/rank_classes.hpp"
#include "sim/step/raw_outcome.hpp"
#include "sim/step/step_run.hpp"
#include "sim/step/step_schedule.hpp"

namespace mlsim::sim {
namespace {

// `Arrivals` are what has come to an exchange so far.
struct Arrivals {
  std::size_t count = 0;
  Seconds last;
  std::vector<Seconds> each;  // by class, zero for others; empty where only the last counts
};

// An `Exchange` that all have joined turns the times of arrival into those of leaving.
using Exchange = std::function<void(std::size_t vertex, Arrivals& times)>;

// Exchanges run one at a time: each is worked out once all classes have arrived.
RawOutcome run_one_by_one(const StepSchedule& schedule, const std::vector<RankClass>& classes, bool keeps_each,
                          const Exchange& exchange) {
  Activity activity("simulating the step", static_cast<std::uint64_t>(std::count_if(
                                               schedule.open().begin(), schedule.open().end(),
                                               [&](std::size_t vertex) { return schedule.is_exchange(vertex); })));
  const ClassesOfRoles members(classes);
  std::vector<Arrivals> arrivals(schedule.open().size());
  std::vector<std::size_t> complete;  // exchanges at which every class has arrived
  StepRun run(schedule, classes, [&](std::size_t vertex, std::uint32_t c, Seconds when) {
    Arrivals& so_far = arrivals[schedule.open_position(vertex)];
    so_far.last = max(so_far.last, when);
    if (keeps_each) {
      so_far.each.resize(classes.size());
      so_far.each[c] = when;
    }
    if (++so_far.count == members.of(schedule.node(vertex).role).size()) complete.push_back(vertex);
  });
  run.begin();
  while (!complete.empty()) {
    const std::size_t vertex = complete.back();
    complete.pop_back();
    Arrivals times = std::move(arrivals[schedule.open_position(vertex)]);
    exchange(vertex, times);
    activity.advance();
    members.for_those_in(schedule.node(vertex),
                         [&](std::uint32_t c) { run.end(vertex, c, times.each.empty() ? times.last : times.each[c]); });
  }
  if (!run.complete()) throw std::logic_error("a step did not finish");
  return gathered(schedule, run, classes);
}

// An exchange ends its closed form after the last arrival.
RawOutcome run_closed(const StepSchedule& schedule, const std::vector<RankClass>& classes) {
  return run_one_by_one(schedule, classes, false,
                        [&](std::size_t vertex, Arrivals& times) { times.last += schedule.duration(vertex, 1); });
}

RawOutcome run_every_message(const StepInputs& inputs, const StepSchedule& schedule,
                             const std::vector<RankClass>& ranks, Engine engine) {
  std::uint64_t messages = 0;
  const auto exchange = [&](std::size_t vertex, Arrivals& times) {
    const StepNode& node = schedule.node(vertex);
    const PlannedExchange& plan = inputs.plans->at(key_of(node));
    if (!plan.shares_links()) {
      times.last += schedule.duration(vertex, 1);
      times.each.clear();
      return;
    }
    for (int i = 0; i < node.repeats; ++i) {
      for (Seconds& time : times.each) time += inputs.efficiency.call;
      MessageRun run = plan.messages(*inputs.cluster, inputs.efficiency, node.payload, engine, times.each);
      messages += run.messages;
      times.each = std::move(run.left);
    }
  };
  RawOutcome raw = run_one_by_one(schedule, ranks, true, exchange);
  raw.flows = messages;
  raw.events = messages;
  return raw;
}

// Returns the most flows that a collective of the step may have at once.
std::uint64_t flows_at_once(const StepInputs& inputs, const RankClasses& classes) {
  std::uint64_t most = 0;
  for (const auto& [key, program] : classes.programs) most = std::max(most, program.flow_count());
  if (inputs.fidelity != Fidelity::message) return most;
  for (const auto& [key, plan] : *inputs.plans) most = std::max(most, plan.messages_at_once());
  return most;
}

Timeline timeline_of(const StepSchedule& schedule, const RawOutcome& raw, const std::vector<RankClass>& classes) {
  Timeline timeline;
  timeline.spans.reserve(raw.intervals.size());
  for (std::uint32_t i = 0; i < raw.traced.size(); ++i) {
    const RankClass& each = classes[raw.traced[i]];
    timeline.class_size.push_back(each.size);
    for (const std::uint32_t v : schedule.of_role(each.role)) {
      const StepNode& node = schedule.node(v);
      if (node.role != each.role) continue;
      const StepSchedule::Interval& interval = raw.intervals[timeline.spans.size()];
      timeline.spans.push_back({v, i, node.stream, node.part, node.name, interval.begin, interval.end,
                                node.kind == NodeKind::collective ? std::optional(node.collective) : std::nullopt});
    }
  }
  return timeline;
}

}  // namespace

StepOutcome simulate_step(const StepInputs& inputs) {
  const StepSchedule schedule(*inputs.graph, inputs.duration);
  const RankClasses classes = rank_classes(inputs);
  if (inputs.fidelity == Fidelity::folded && !inputs.engine) {
    if (const std::uint64_t flows = flows_to_move(schedule, classes); flows > kMostFoldedFlows) {
      StepInputs by_formulas = inputs;
      by_formulas.fidelity = Fidelity::closed;
      StepOutcome outcome = simulate_step(by_formulas);
      outcome.unmoved = flows;
      return outcome;
    }
  }
  const Engine engine = inputs.engine.value_or(usual_engine(flows_at_once(inputs, classes), inputs.one_of_many));
  // A rank alone sends nothing, so formulas do, whatever the fidelity.
  const bool by_formulas = inputs.fidelity == Fidelity::closed || (inputs.plans->empty() && !inputs.engine);
  const auto run = [&]() -> RawOutcome {
    if (by_formulas) return run_closed(schedule, classes.classes);
    if (inputs.fidelity == Fidelity::message) return run_every_message(inputs, schedule, classes.classes, engine);
    if (engine == Engine::max_min) return FlowRun(schedule, classes, inputs, engine).outcome();
    return unpack(in_child([&] { return pack(FlowRun(schedule, classes, inputs, engine).outcome()); }));
  };
  const RawOutcome raw = run();
  StepOutcome outcome;
  outcome.timeline = timeline_of(schedule, raw, classes.classes);
  const auto shown = std::find(raw.traced.begin(), raw.traced.end(), shown_class(schedule, classes.classes));
  outcome.shown_class = static_cast<std::uint32_t>(shown - raw.traced.begin());
  outcome.time = raw.time;
  outcome.classes = classes.classes.size();
  outcome.flows = raw.flows;
  outcome.events = raw.events;
  outcome.engine = by_formulas ? "formulas" : std::string(name(engine));
  return outcome;
}

}  // namespace mlsim::sim
