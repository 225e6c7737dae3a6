// A `StepRun` runs what waits for collectives in a step, on every class of ranks as their ends become known.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/step/step_schedule.hpp"

namespace mlsim::sim {

/// The ranks of a class are alike.
struct RankClass {
  double speed = 1;  // compute speed factor
  int role = 0;      // pipeline stage
  std::uint32_t size = 1;
};

/// `ClassesOfRoles` tell which classes play a role.
class ClassesOfRoles {
 public:
  explicit ClassesOfRoles(const std::vector<RankClass>& classes);
  const std::vector<std::uint32_t>& of(int role) const { return of_[static_cast<std::size_t>(role)]; }
  /// Calls `visit(class)` for those that join a collective, send, or are sent to.
  template <class Visit>
  void for_those_in(const StepNode& node, Visit&& visit) const {
    for (const std::uint32_t c : of(node.role)) visit(c);
    if (node.kind != NodeKind::transfer || node.peer == node.role) return;
    for (const std::uint32_t c : of(node.peer)) visit(c);
  }

 private:
  std::vector<std::vector<std::uint32_t>> of_;
};

class StepRun {
 public:
  /// Arrive is called when a class joins a collective or sends; `when` is never before the time of the call.
  using Arrive = std::function<void(std::size_t vertex, std::uint32_t rank_class, Seconds when)>;

  /// `schedule` must outlive the run.
  StepRun(const StepSchedule& schedule, const std::vector<RankClass>& classes, Arrive arrive);

  /// Lets every class go as far as it comes without a collective.
  void begin();
  /// Tells that collective `vertex` of a class has ended; a transfer ends for a class of either end.
  void end(std::size_t vertex, std::uint32_t rank_class, Seconds when);
  /// Returns whether every vertex of every class has ended.
  bool complete() const { return ended_ == to_end_; }
  StepSchedule::Interval interval(std::size_t vertex, std::uint32_t rank_class) const;

 private:
  // ClassState holds the times of one class as they become known.
  struct ClassState {
    const std::vector<StepSchedule::Interval>* fixed = nullptr;  // shared by all classes of one speed
    RankClass rank_class;
    const std::vector<std::uint32_t>* slots = nullptr;  // by open position: its place below; shared by a role
    std::vector<StepSchedule::Interval> open;           // of the open vertices in which its role takes part
    std::vector<int> missing;                           // predecessors whose end is not known yet
  };
  const std::vector<std::uint32_t>& slots_of(int role);
  std::size_t slot(const ClassState& state, std::size_t vertex) const {
    return (*state.slots)[schedule_.open_position(vertex)];
  }
  ClassState initial(const RankClass& rank_class);
  void ready(std::size_t vertex, std::uint32_t rank_class);

  const StepSchedule& schedule_;
  Arrive arrive_;
  std::map<double, std::vector<StepSchedule::Interval>> fixed_;  // by speed
  std::map<int, std::vector<std::uint32_t>> slots_;              // by role
  std::vector<ClassState> states_;
  std::size_t ended_ = 0, to_end_ = 0;
};

}  // namespace mlsim::sim
