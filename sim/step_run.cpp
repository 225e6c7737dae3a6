#include "sim/step_run.hpp"

#include <algorithm>
#include <utility>

namespace mlsim {

StepRun::StepRun(const StepSchedule& schedule, const std::vector<double>& class_speed, Arrive arrive)
    : schedule_(schedule), arrive_(std::move(arrive)) {
  for (const double speed : class_speed) {
    auto& fixed = fixed_[speed];
    if (fixed.empty()) fixed = schedule.fixed_part(speed);
  }
  for (const double speed : class_speed) states_.push_back(initial(speed));
}

StepRun::ClassState StepRun::initial(double speed) const {
  ClassState state;
  state.fixed = &fixed_.at(speed);
  state.speed = speed;
  state.open.resize(schedule_.open().size());
  for (const std::size_t v : schedule_.open()) {
    const auto& before = schedule_.predecessors(v);
    state.missing.push_back(static_cast<int>(
        std::count_if(before.begin(), before.end(), [&](std::size_t u) { return schedule_.is_open(u); })));
  }
  return state;
}

void StepRun::begin() {
  for (std::uint32_t c = 0; c < states_.size(); ++c) {
    for (const std::size_t v : schedule_.open()) {
      // Those behind other collectives follow from end(), which may already have run within this loop.
      const auto& before = schedule_.predecessors(v);
      const bool first =
          std::none_of(before.begin(), before.end(), [&](std::size_t u) { return schedule_.is_open(u); });
      if (first) ready(v, c);
    }
  }
}

void StepRun::end(std::size_t vertex, std::uint32_t rank_class, Seconds when) {
  states_[rank_class].open[schedule_.open_position(vertex)].end = when;
  ++ended_;
  for (const std::size_t next : schedule_.successors(vertex)) {
    if (--states_[rank_class].missing[schedule_.open_position(next)] == 0) ready(next, rank_class);
  }
}

StepSchedule::Interval StepRun::interval(std::size_t vertex, std::uint32_t rank_class) const {
  const auto& state = states_[rank_class];
  return schedule_.is_open(vertex) ? state.open[schedule_.open_position(vertex)] : (*state.fixed)[vertex];
}

// All predecessors of `vertex` on the class have ended.
void StepRun::ready(std::size_t vertex, std::uint32_t rank_class) {
  Seconds start;
  for (const std::size_t u : schedule_.predecessors(vertex)) start = max(start, interval(u, rank_class).end);
  states_[rank_class].open[schedule_.open_position(vertex)].begin = start;
  if (schedule_.node(vertex).kind == NodeKind::collective) {
    arrive_(vertex, rank_class, start);
  } else {
    end(vertex, rank_class, start + schedule_.duration(vertex, states_[rank_class].speed));
  }
}

}  // namespace mlsim
