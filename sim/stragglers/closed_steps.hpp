// A `ClosedSteps` follows each rank of each step on its own: it gives the end of a step for ranks that differ.
//
// A collective ends its closed form after its last rank has come. A kernel that waits for nothing but the kernel before
// it is one segment of work with it, so that a step of a thousand kernels is some ten segments for each rank: 4096
// ranks and 200 steps take a fraction of a second.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/step/step_order.hpp"
#include "sim/stragglers/rank_delays.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::sim {

class ClosedSteps {
 public:
  /// Groups are the ranks between which a collective over `axes` runs, in the pipeline stage `role`; for Axis::pipeline
  /// they are the ranks of each pipeline, stage by stage (`role` is -1 then).
  using Groups = std::function<std::vector<std::vector<int>>(AxisSet axes, int role)>;

  /// `duration` is of each vertex at nominal speed, `roles` the pipeline stage of each rank (empty: all 0).
  ClosedSteps(const StepOrder& order, const std::vector<Seconds>& duration, int ranks, const std::vector<int>& roles,
              const Groups& groups);

  /// Returns when the last rank has ended. Input comes late by RankDelay::input, kernels take RankDelay::slowdown times
  /// as long.
  Seconds end(const std::vector<RankDelay>& ranks) const;

  /// Returns the same where rank delays differ in their slowdown alone and there is one role: no rank waits for another
  /// but for the slowest, which waits for none. O(segments).
  Seconds end_of_slowest(double slowdown) const;
  bool one_role() const { return members_.size() == 1; }

 private:
  enum class What : std::uint8_t { work, collective, transfer };
  // A segment is consecutive nodes of one stream that wait for nothing but each other.
  struct StepSegment {
    What what = What::work;
    int role = 0, peer = 0;
    bool input = false;                                 // waits for the host's input
    double kernels = 0;                                 // seconds that grow with the rank's slowdown
    double fixed = 0;                                   // seconds that do not
    const std::vector<std::uint32_t>* group = nullptr;  // group by place in role; of a transfer the receiver's place
    std::uint32_t groups = 0;
    std::vector<std::uint32_t> after;  // segments
  };

  void cut(const StepOrder& order, const std::vector<Seconds>& duration);
  void join_groups(StepSegment& segment, AxisSet axes, const Groups& groups);

  std::vector<std::vector<int>> members_;  // ranks of each role
  std::vector<std::uint32_t> place_;       // of each rank in its role
  std::vector<StepSegment> segments_;      // in an order in which each follows what it waits for
  std::vector<AxisSet> axes_;              // of each segment
  struct GroupKey {
    AxisSet axes;
    int role = 0, peer = 0;
    auto operator<=>(const GroupKey&) const = default;
  };
  struct GroupTable {
    std::vector<std::uint32_t> of_place;
    std::uint32_t count = 0;
  };
  std::map<GroupKey, GroupTable> tables_;
};

}  // namespace mlsim::sim
