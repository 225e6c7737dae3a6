#include "sim/step/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

#include "core/process/activity.hpp"
#include "sim/engine/child.hpp"
#include "sim/engine/flow_network.hpp"
#include "sim/fold/program_run.hpp"
#include "sim/step/rank_classes.hpp"
#include "sim/step/step_run.hpp"
#include "sim/step/step_schedule.hpp"

namespace mlsim::sim {
namespace {

using Interval = StepSchedule::Interval;

// A child sends home the intervals of the traced classes and the end of all.
struct RawOutcome {
  std::vector<std::uint32_t> traced;  // class numbers
  std::vector<Interval> intervals;    // of each traced class, of each vertex of its role
  Seconds time;
  std::uint64_t flows = 0, events = 0;
};

RawOutcome gather(const StepSchedule& schedule, const StepRun& run, const std::vector<RankClass>& classes) {
  RawOutcome raw;
  std::vector<std::uint32_t> order(classes.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return classes[a].speed < classes[b].speed; });
  for (const std::uint32_t c : order) {
    for (const std::uint32_t v : schedule.of_role(classes[c].role)) raw.time = max(raw.time, run.interval(v, c).end);
  }
  std::set<int> roles;  // a pipeline shows all of its stages
  for (const RankClass& each : classes) roles.insert(each.role);
  order.resize(std::min(order.size(), std::max(kTracedClasses, roles.size())));
  const std::uint32_t shown = shown_class(schedule, classes);
  if (std::find(order.begin(), order.end(), shown) == order.end()) order.back() = shown;
  for (const std::uint32_t c : order) {
    for (const std::uint32_t v : schedule.of_role(classes[c].role)) {
      if (schedule.node(v).role == classes[c].role) raw.intervals.push_back(run.interval(v, c));
    }
  }
  raw.traced = std::move(order);
  return raw;
}

// Participants are the classes that join a collective, or send; with `receivers` also those that a transfer goes to.
std::vector<std::uint32_t> participants(const StepNode& node, const std::vector<RankClass>& classes, bool receivers) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t c = 0; c < classes.size(); ++c) {
    if (node.role == classes[c].role || (receivers && takes_part(node, classes[c].role))) result.push_back(c);
  }
  return result;
}

// `Ends` say when each class leaves an exchange that all have joined at `arrivals` (zero for other classes).
using Ends = std::function<std::vector<Seconds>(std::size_t vertex, const std::vector<Seconds>& arrivals)>;

// Exchanges run one at a time: each is worked out once all classes have arrived.
RawOutcome run_one_by_one(const StepSchedule& schedule, const std::vector<RankClass>& classes, const Ends& ends) {
  Activity activity("simulating the step", static_cast<std::uint64_t>(std::count_if(
                                               schedule.open().begin(), schedule.open().end(),
                                               [&](std::size_t vertex) { return schedule.is_exchange(vertex); })));
  std::map<int, std::size_t> members;  // classes of each role
  for (const RankClass& each : classes) ++members[each.role];
  std::map<std::size_t, std::vector<Seconds>> arrivals;
  std::map<std::size_t, std::size_t> arrived;
  std::vector<std::size_t> complete;  // exchanges at which every class has arrived
  StepRun run(schedule, classes, [&](std::size_t vertex, std::uint32_t c, Seconds when) {
    arrivals[vertex].resize(classes.size());
    arrivals[vertex][c] = when;
    if (++arrived[vertex] == members[schedule.node(vertex).role]) complete.push_back(vertex);
  });
  run.begin();
  while (!complete.empty()) {
    const std::size_t vertex = complete.back();
    complete.pop_back();
    const auto left = ends(vertex, arrivals[vertex]);
    arrivals.erase(vertex);
    activity.advance();
    for (const std::uint32_t c : participants(schedule.node(vertex), classes, true)) run.end(vertex, c, left[c]);
  }
  if (!run.complete()) throw std::logic_error("a step did not finish");
  return gather(schedule, run, classes);
}

std::vector<Seconds> end_together(const std::vector<Seconds>& arrivals, Seconds time) {
  return std::vector<Seconds>(arrivals.size(), *std::max_element(arrivals.begin(), arrivals.end()) + time);
}

// An exchange ends its closed form after the last arrival.
RawOutcome run_closed(const StepSchedule& schedule, const std::vector<RankClass>& classes) {
  return run_one_by_one(schedule, classes, [&](std::size_t vertex, const std::vector<Seconds>& arrivals) {
    return end_together(arrivals, schedule.duration(vertex, 1));
  });
}

RawOutcome run_every_message(const StepInputs& inputs, const StepSchedule& schedule,
                             const std::vector<RankClass>& ranks, Engine engine) {
  std::uint64_t messages = 0;
  const auto ends = [&](std::size_t vertex, std::vector<Seconds> times) {
    const StepNode& node = schedule.node(vertex);
    const PlannedExchange& plan = inputs.plans->at(key_of(node));
    if (!plan.shares_links()) return end_together(times, schedule.duration(vertex, 1));
    for (int i = 0; i < node.repeats; ++i) {
      for (Seconds& time : times) time += inputs.efficiency.call;
      MessageRun run = plan.messages(*inputs.cluster, inputs.efficiency, node.payload, engine, times);
      messages += run.messages;
      times = std::move(run.left);
    }
    return times;
  };
  RawOutcome raw = run_one_by_one(schedule, ranks, ends);
  raw.flows = messages;
  raw.events = messages;
  return raw;
}

std::uint64_t all_flows(const StepSchedule& schedule, const RankClasses& classes) {
  std::uint64_t flows = 0;
  for (const std::size_t vertex : schedule.open()) {
    const StepNode& node = schedule.node(vertex);
    const auto program = schedule.is_exchange(vertex) ? classes.programs.find(key_of(node)) : classes.programs.end();
    if (program != classes.programs.end())
      flows += program->second.flow_count() * static_cast<std::uint64_t>(node.repeats);
  }
  return flows;
}

// A FlowRun moves exchanges as flows on one network; measured ones take their known time.
class FlowRun {
 public:
  FlowRun(const StepSchedule& schedule, const RankClasses& classes, const StepInputs& inputs, Engine engine)
      : schedule_(schedule),
        classes_(classes.classes),
        plans_(*inputs.plans),
        call_(inputs.efficiency.call),
        network_(make_flow_network(engine)),
        step_(schedule, classes.classes,
              [this](std::size_t vertex, std::uint32_t c, Seconds when) { join(vertex, c, when); }) {
    for (const auto& [key, program] : classes.programs)
      placed_[key] = std::make_unique<PlacedProgram>(*network_, program, &activity_);
    activity_.reach(0, all_flows(schedule, classes));
  }

  RawOutcome outcome() {
    step_.begin();
    network_->run();
    if (!step_.complete()) {
      for (const auto& [at, exchange] : runs_) {
        if (const auto reason = exchange->unfinished(); !reason.empty())
          throw std::runtime_error(
              fmt::format("the step did not finish: {}: {}", schedule_.node(at.first).name, reason));
      }
      throw std::runtime_error("the step did not finish: a collective was never started by all ranks");
    }
    RawOutcome raw = gather(schedule_, step_, classes_);
    raw.flows = network_->flows();
    raw.events = network_->events();
    return raw;
  }

 private:
  void join(std::size_t vertex, std::uint32_t c, Seconds when) {
    if (!plans_.at(key_of(schedule_.node(vertex))).shares_links()) return synchronise(vertex, when);
    network_->at(when + call_, [this, vertex, c] { run_of(vertex, 0)->arrive(c); });
  }

  // A measured exchange ends for all ranks at once, its time after the last has joined.
  void synchronise(std::size_t vertex, Seconds when) {
    Synchronisation& synchronisation = synchronisations_[vertex];
    synchronisation.last = max(synchronisation.last, when);
    const auto members = participants(schedule_.node(vertex), classes_, false);
    if (++synchronisation.joined < members.size()) return;
    const Seconds end = synchronisation.last + schedule_.duration(vertex, 1);
    network_->at(end, [this, vertex, members, end] {
      for (const std::uint32_t c : members) step_.end(vertex, c, end);
    });
  }

  // Returns the run of the exchange in repetition `round`. Receivers are ready from the beginning.
  std::shared_ptr<PlacedProgram::Run> run_of(std::size_t vertex, int round) {
    const auto known = runs_.find({vertex, round});
    if (known != runs_.end()) return known->second;
    const StepNode& node = schedule_.node(vertex);
    const auto run = placed_.at(key_of(node))->start(node.payload, [this, vertex, round](std::uint32_t c) {
      leave(vertex, round, c);
    });
    runs_[{vertex, round}] = run;
    if (node.kind == NodeKind::transfer) {
      for (std::uint32_t c = 0; c < classes_.size(); ++c) {
        if (classes_[c].role == node.peer) run->arrive(c);
      }
    }
    return run;
  }

  void leave(std::size_t vertex, int round, std::uint32_t c) {
    if (round + 1 == schedule_.node(vertex).repeats) return step_.end(vertex, c, network_->now());
    network_->at(network_->now() + call_, [this, vertex, round, c] { run_of(vertex, round + 1)->arrive(c); });
  }

  struct Synchronisation {
    std::size_t joined = 0;
    Seconds last;
  };

  Activity activity_{"simulating the step"};
  const StepSchedule& schedule_;
  const std::vector<RankClass>& classes_;
  const PlannedExchanges& plans_;
  Seconds call_;  // passes before each exchange of a rank, as a library's own time
  std::map<std::size_t, Synchronisation> synchronisations_;  // by vertex
  std::unique_ptr<FlowNetwork> network_;
  std::map<ExchangeKey, std::unique_ptr<PlacedProgram>> placed_;
  std::map<std::pair<std::size_t, int>, std::shared_ptr<PlacedProgram::Run>> runs_;  // by vertex and round
  StepRun step_;
};

std::string pack(const RawOutcome& raw) {
  Packer packer;
  packer.put(raw.traced);
  packer.put(raw.intervals);
  packer.put(raw.time);
  packer.put(raw.flows);
  packer.put(raw.events);
  return packer.take();
}

RawOutcome unpack(const std::string& bytes) {
  Unpacker unpacker(bytes);
  RawOutcome raw;
  raw.traced = unpacker.get_vector<std::uint32_t>();
  raw.intervals = unpacker.get_vector<Interval>();
  raw.time = unpacker.get<Seconds>();
  raw.flows = unpacker.get<std::uint64_t>();
  raw.events = unpacker.get<std::uint64_t>();
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
      const Interval& interval = raw.intervals[timeline.spans.size()];
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
    if (const std::uint64_t flows = all_flows(schedule, classes); flows > kMostFoldedFlows) {
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
