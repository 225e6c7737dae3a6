#include "sim/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sim/engine/child.hpp"
#include "sim/engine/flow_network.hpp"
#include "sim/fold/program_run.hpp"
#include "sim/packed.hpp"
#include "sim/rank_classes.hpp"
#include "sim/simulate_messages.hpp"
#include "sim/step_run.hpp"
#include "sim/step_schedule.hpp"

namespace mlsim {
namespace {

using Interval = StepSchedule::Interval;

// What a child sends home: intervals of the traced classes and the end of all.
struct RawOutcome {
  std::vector<std::uint32_t> traced;  // class numbers
  std::vector<Interval> intervals;    // traced class x vertex
  Seconds time;
  std::uint64_t flows = 0, events = 0;
};

RawOutcome gather(const StepSchedule& schedule, const StepRun& run, const std::vector<double>& class_speed) {
  RawOutcome raw;
  std::vector<std::uint32_t> order(class_speed.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return class_speed[a] < class_speed[b]; });
  for (const std::uint32_t c : order) {
    for (std::size_t v = 0; v < schedule.size(); ++v) raw.time = max(raw.time, run.interval(v, c).end);
  }
  order.resize(std::min(order.size(), kTracedClasses));
  for (const std::uint32_t c : order) {
    for (std::size_t v = 0; v < schedule.size(); ++v) raw.intervals.push_back(run.interval(v, c));
  }
  raw.traced = std::move(order);
  return raw;
}

// When each class leaves a collective that all have joined at `arrivals`.
using Ends = std::function<std::vector<Seconds>(std::size_t vertex, const std::vector<Seconds>& arrivals)>;

// Collectives one at a time: each is worked out once all classes have arrived.
RawOutcome run_meetings(const StepSchedule& schedule, const std::vector<double>& class_speed, const Ends& ends) {
  std::map<std::size_t, std::vector<Seconds>> arrivals;
  std::map<std::size_t, std::size_t> arrived;
  std::vector<std::size_t> complete;  // collectives at which every class has arrived
  StepRun run(schedule, class_speed, [&](std::size_t vertex, std::uint32_t c, Seconds when) {
    arrivals[vertex].resize(class_speed.size());
    arrivals[vertex][c] = when;
    if (++arrived[vertex] == class_speed.size()) complete.push_back(vertex);
  });
  run.begin();
  while (!complete.empty()) {
    const std::size_t vertex = complete.back();
    complete.pop_back();
    const auto left = ends(vertex, arrivals[vertex]);
    for (std::uint32_t c = 0; c < class_speed.size(); ++c) run.end(vertex, c, left[c]);
  }
  if (!run.complete()) throw std::logic_error("a step did not finish");
  return gather(schedule, run, class_speed);
}

// A collective ends its closed form after the last arrival.
RawOutcome run_closed(const StepSchedule& schedule, const std::vector<double>& class_speed) {
  return run_meetings(schedule, class_speed, [&](std::size_t vertex, const std::vector<Seconds>& arrivals) {
    const Seconds last = *std::max_element(arrivals.begin(), arrivals.end());
    return std::vector<Seconds>(arrivals.size(), last + schedule.duration(vertex, 1));
  });
}

RawOutcome run_every_message(const StepInputs& inputs, const StepSchedule& schedule,
                             const std::vector<double>& rank_speed, Engine engine) {
  std::uint64_t messages = 0;
  const auto ends = [&](std::size_t vertex, const std::vector<Seconds>& arrivals) {
    const StepNode& node = schedule.node(vertex);
    MessageRun run = simulate_messages(inputs.plans->at(node.collective).schedule, *inputs.cluster, inputs.efficiency,
                                       node.payload, engine, arrivals);
    messages += run.messages;
    return std::move(run.left);
  };
  RawOutcome raw = run_meetings(schedule, rank_speed, ends);
  raw.flows = messages;
  raw.events = messages;
  return raw;
}

// Collectives as flows on one network.
RawOutcome run_flows(const StepSchedule& schedule, const RankClasses& classes, Engine engine) {
  const auto network = make_flow_network(engine);
  std::map<CollectiveKind, std::unique_ptr<PlacedProgram>> placed;
  for (const auto& [kind, program] : classes.programs)
    placed[kind] = std::make_unique<PlacedProgram>(*network, program);

  std::map<std::size_t, std::shared_ptr<PlacedProgram::Run>> runs;
  StepRun* step = nullptr;
  StepRun run(schedule, classes.speed, [&](std::size_t vertex, std::uint32_t c, Seconds when) {
    network->at(when, [&, vertex, c] {
      auto& collective = runs[vertex];
      if (!collective) {
        const StepNode& node = schedule.node(vertex);
        collective = placed.at(node.collective)->start(node.payload, [&, vertex](std::uint32_t left) {
          step->end(vertex, left, network->now());
        });
      }
      collective->arrive(c);
    });
  });
  step = &run;
  run.begin();
  network->run();
  if (!run.complete()) {
    for (const auto& [vertex, collective] : runs) {
      if (const auto reason = collective->unfinished(); !reason.empty()) {
        throw std::runtime_error(fmt::format("the step did not finish: {}: {}", schedule.node(vertex).name, reason));
      }
    }
    throw std::runtime_error("the step did not finish: a collective was never started by all ranks");
  }
  RawOutcome raw = gather(schedule, run, classes.speed);
  raw.flows = network->flows();
  raw.events = network->events();
  return raw;
}

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

// The most flows that a collective of the step may have at once.
std::uint64_t flows_at_once(const StepInputs& inputs, const RankClasses& classes) {
  std::uint64_t most = 0;
  for (const auto& [kind, program] : classes.programs) most = std::max(most, program.flow_count());
  if (inputs.fidelity != Fidelity::message) return most;
  for (const auto& [kind, plan] : *inputs.plans)
    most = std::max<std::uint64_t>(most, plan.schedule.lanes.size() * static_cast<std::uint64_t>(plan.schedule.ranks));
  return most;
}

Timeline timeline_of(const StepSchedule& schedule, const RawOutcome& raw,
                     const std::vector<std::uint32_t>& class_size) {
  Timeline timeline;
  for (std::uint32_t i = 0; i < raw.traced.size(); ++i) {
    timeline.class_size.push_back(class_size[raw.traced[i]]);
    for (std::size_t v = 0; v < schedule.size(); ++v) {
      const Interval& interval = raw.intervals[i * schedule.size() + v];
      const StepNode& node = schedule.node(v);
      timeline.spans.push_back({i, node.stream, node.part, node.name, interval.begin, interval.end});
    }
  }
  return timeline;
}

}  // namespace

Seconds even_step_time(const StepGraph& graph, const std::vector<Seconds>& duration) {
  std::vector<Seconds> end(boost::num_vertices(graph));
  std::array<Seconds, 3> stream_free{};
  Seconds last;
  for (std::size_t v = 0; v < end.size(); ++v) {
    Seconds& stream = stream_free[static_cast<std::size_t>(graph[v].stream)];
    Seconds begin = stream;
    for (auto [edge, none] = boost::in_edges(v, graph); edge != none; ++edge)
      begin = max(begin, end[boost::source(*edge, graph)]);
    stream = end[v] = begin + duration[v];
    last = max(last, end[v]);
  }
  return last;
}

StepOutcome simulate_step(const StepInputs& inputs) {
  const StepSchedule schedule(*inputs.graph, inputs.duration);
  const RankClasses classes = rank_classes(*inputs.cluster, *inputs.plans, inputs.efficiency, inputs.fidelity);
  const Engine engine = inputs.engine.value_or(usual_engine(flows_at_once(inputs, classes)));
  // A rank alone sends nothing, whatever the fidelity.
  const bool by_formulas = inputs.fidelity == Fidelity::closed || (inputs.plans->empty() && !inputs.engine);
  const auto run = [&]() -> RawOutcome {
    if (by_formulas) return run_closed(schedule, classes.speed);
    if (inputs.fidelity == Fidelity::message) return run_every_message(inputs, schedule, classes.speed, engine);
    if (engine == Engine::max_min) return run_flows(schedule, classes, engine);
    return unpack(in_child([&] { return pack(run_flows(schedule, classes, engine)); }));
  };
  const RawOutcome raw = run();
  StepOutcome outcome;
  outcome.timeline = timeline_of(schedule, raw, classes.size);
  outcome.time = raw.time;
  outcome.classes = classes.speed.size();
  outcome.flows = raw.flows;
  outcome.events = raw.events;
  outcome.engine = by_formulas ? "formulas" : std::string(name(engine));
  return outcome;
}

}  // namespace mlsim
