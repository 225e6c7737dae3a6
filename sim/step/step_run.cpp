#include "sim/step/step_run.hpp"

#include <algorithm>
#include <utility>

namespace mlsim::sim {

ClassesOfRoles::ClassesOfRoles(const std::vector<RankClass>& classes) {
  for (std::uint32_t c = 0; c < classes.size(); ++c) {
    const auto role = static_cast<std::size_t>(classes[c].role);
    if (role >= of_.size()) of_.resize(role + 1);
    of_[role].push_back(c);
  }
}

StepRun::StepRun(const StepSchedule& schedule, const std::vector<RankClass>& classes, Arrive arrive)
    : schedule_(schedule), arrive_(std::move(arrive)) {
  for (const RankClass& each : classes) {
    auto& fixed = fixed_[each.speed];
    if (fixed.empty()) fixed = schedule.fixed_part(each.speed);
  }
  for (const RankClass& each : classes) states_.push_back(initial(each));
  for (const ClassState& state : states_) to_end_ += state.open.size();
}

const std::vector<std::uint32_t>& StepRun::slots_of(int role) {
  auto& slots = slots_[role];
  if (!slots.empty()) return slots;
  slots.resize(schedule_.open().size());
  std::uint32_t next = 0;
  for (const std::uint32_t v : schedule_.of_role(role))
    if (schedule_.is_open(v)) slots[schedule_.open_position(v)] = next++;
  return slots;
}

StepRun::ClassState StepRun::initial(const RankClass& rank_class) {
  ClassState state;
  state.fixed = &fixed_.at(rank_class.speed);
  state.rank_class = rank_class;
  state.slots = &slots_of(rank_class.role);
  for (const std::uint32_t v : schedule_.of_role(rank_class.role)) {
    if (!schedule_.is_open(v)) continue;
    const auto before = schedule_.predecessors(v);
    state.missing.push_back(static_cast<int>(
        std::count_if(before.begin(), before.end(), [&](std::size_t u) { return schedule_.is_open(u); })));
  }
  state.open.resize(state.missing.size());
  return state;
}

void StepRun::begin() {
  for (std::uint32_t c = 0; c < states_.size(); ++c) {
    for (const std::uint32_t v : schedule_.of_role(states_[c].rank_class.role)) {
      if (!schedule_.is_open(v) || schedule_.node(v).role != states_[c].rank_class.role) continue;
      // Vertices behind other collectives follow from end(), which may already have run within this loop.
      const auto before = schedule_.predecessors(v);
      const bool first =
          std::none_of(before.begin(), before.end(), [&](std::size_t u) { return schedule_.is_open(u); });
      if (first) ready(v, c);
    }
  }
}

void StepRun::end(std::size_t vertex, std::uint32_t rank_class, Seconds when) {
  ClassState& state = states_[rank_class];
  auto& interval = state.open[slot(state, vertex)];
  interval.end = when;
  if (schedule_.node(vertex).role != state.rank_class.role) interval.begin = when;  // a receiver only waits
  ++ended_;
  for (const std::size_t next : schedule_.successors(vertex)) {
    if (schedule_.node(next).role != state.rank_class.role) continue;
    if (--state.missing[slot(state, next)] == 0) ready(next, rank_class);
  }
}

StepSchedule::Interval StepRun::interval(std::size_t vertex, std::uint32_t rank_class) const {
  const auto& state = states_[rank_class];
  return schedule_.is_open(vertex) ? state.open[slot(state, vertex)] : (*state.fixed)[vertex];
}

// A vertex is ready when all its predecessors on the class have ended.
void StepRun::ready(std::size_t vertex, std::uint32_t rank_class) {
  Seconds start;
  for (const std::size_t u : schedule_.predecessors(vertex)) start = max(start, interval(u, rank_class).end);
  states_[rank_class].open[slot(states_[rank_class], vertex)].begin = start;
  if (schedule_.is_exchange(vertex)) {
    arrive_(vertex, rank_class, start);
  } else {
    end(vertex, rank_class, start + schedule_.duration(vertex, states_[rank_class].rank_class.speed));
  }
}

}  // namespace mlsim::sim
