#include "sim/step/flow_run.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace mlsim::sim {

std::uint64_t flows_to_move(const StepSchedule& schedule, const RankClasses& classes) {
  LoneExchanges lone(schedule, classes.classes);
  std::map<ExchangeKey, std::uint64_t> flows_of;
  for (const auto& [key, program] : classes.programs) flows_of[key] = program.flow_count();
  std::uint64_t flows = 0;
  for (const std::size_t vertex : schedule.open()) {
    const StepNode& node = schedule.node(vertex);
    const auto each = schedule.is_exchange(vertex) ? flows_of.find(key_of(node)) : flows_of.end();
    if (each == flows_of.end() || lone.time(node)) continue;
    if (lone.has(node)) lone.learn(node, {});
    flows += each->second * static_cast<std::uint64_t>(lone.has(node) ? 1 : node.repeats);
  }
  return flows;
}

FlowRun::FlowRun(const StepSchedule& schedule, const RankClasses& classes, const StepInputs& inputs, Engine engine)
    : schedule_(schedule),
      classes_(classes.classes),
      members_(classes.classes),
      plans_(*inputs.plans),
      call_(inputs.efficiency.call),
      lone_(schedule, classes.classes),
      network_(make_flow_network(engine)),
      step_(schedule, classes.classes,
            [this](std::size_t vertex, std::uint32_t c, Seconds when) { join(vertex, c, when); }) {
  for (const auto& [key, program] : classes.programs)
    placed_[key] = std::make_unique<PlacedProgram>(*network_, program, &activity_);
  activity_.reach(0, flows_to_move(schedule, classes));
}

RawOutcome FlowRun::outcome() {
  step_.begin();
  end_those_known();
  network_->run();
  if (!step_.complete()) {
    for (const auto& [at, exchange] : runs_) {
      if (const auto reason = exchange->unfinished(); !reason.empty())
        throw std::runtime_error(fmt::format("the step did not finish: {}: {}", schedule_.node(at.first).name, reason));
    }
    throw std::runtime_error("the step did not finish: a collective was never started by all ranks");
  }
  RawOutcome raw = gathered(schedule_, step_, classes_);
  raw.flows = network_->flows();
  raw.events = network_->events();
  return raw;
}

void FlowRun::join(std::size_t vertex, std::uint32_t rank_class, Seconds when) {
  const StepNode& node = schedule_.node(vertex);
  if (!plans_.at(key_of(node)).shares_links()) return synchronise(vertex, when);
  if (const auto time = lone_.time(node)) {
    known_.push_back({vertex, rank_class, when + node.repeats * (call_ + *time)});
    return;
  }
  network_->at(when + call_, [this, vertex, rank_class] { begin(vertex, 0, rank_class); });
}

// A measured exchange ends for all ranks at once, its time after the last has joined.
void FlowRun::synchronise(std::size_t vertex, Seconds when) {
  Synchronisation& synchronisation = synchronisations_[vertex];
  synchronisation.last = max(synchronisation.last, when);
  const std::vector<std::uint32_t>& members = members_.of(schedule_.node(vertex).role);
  if (++synchronisation.joined < members.size()) return;
  const Seconds at = synchronisation.last + schedule_.duration(vertex, 1);
  network_->at(at, [this, vertex, &members, at] {
    for (const std::uint32_t c : members) end(vertex, c, at);
  });
}

void FlowRun::begin(std::size_t vertex, int round, std::uint32_t rank_class) {
  if (lone_.has(schedule_.node(vertex))) begun_[{vertex, round}] = network_->now();
  run_of(vertex, round)->arrive(rank_class);
}

void FlowRun::leave(std::size_t vertex, int round, std::uint32_t rank_class) {
  const StepNode& node = schedule_.node(vertex);
  const Seconds now = network_->now();
  if (lone_.has(node)) {
    const Seconds time = now - begun_.at({vertex, round});
    lone_.learn(node, time);
    return end(vertex, rank_class, now + (node.repeats - 1 - round) * (call_ + time));
  }
  if (round + 1 == node.repeats) return end(vertex, rank_class, now);
  network_->at(now + call_, [this, vertex, round, rank_class] { begin(vertex, round + 1, rank_class); });
}

// Returns the run of the exchange in repetition `round`. Receivers are ready from the beginning.
std::shared_ptr<PlacedProgram::Run> FlowRun::run_of(std::size_t vertex, int round) {
  const auto known = runs_.find({vertex, round});
  if (known != runs_.end()) return known->second;
  const StepNode& node = schedule_.node(vertex);
  const auto run = placed_.at(key_of(node))->start(node.payload, [this, vertex, round](std::uint32_t c) {
    leave(vertex, round, c);
  });
  runs_[{vertex, round}] = run;
  if (node.kind == NodeKind::transfer) {
    for (const std::uint32_t c : members_.of(node.peer)) run->arrive(c);
  }
  return run;
}

void FlowRun::end(std::size_t vertex, std::uint32_t rank_class, Seconds when) {
  step_.end(vertex, rank_class, when);
  end_those_known();
}

// One by one, as each may let the next begin: a step of thousands would go as deep.
void FlowRun::end_those_known() {
  while (!known_.empty()) {
    const KnownEnd next = known_.back();
    known_.pop_back();
    step_.end(next.vertex, next.rank_class, next.when);
  }
}

}  // namespace mlsim::sim
