// A `StepSchedule` knows the part of a step that needs no simulation: a class's times before the first collective.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "sim/step/step_order.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::sim {

/// A schedule is the order of a step with the length of each node.
class StepSchedule {
 public:
  /// The graph must outlive the schedule.
  StepSchedule(const StepGraph& graph, std::vector<Seconds> duration);

  struct Interval {
    Seconds begin, end;
  };
  /// Returns the intervals of all vertices that do not wait for a collective, at a compute speed factor; the rest is
  /// zero.
  std::vector<Interval> fixed_part(double speed) const;
  /// Lists the vertices in which a role takes part, in order.
  const std::vector<std::uint32_t>& of_role(int role) const;

  /// Lists collectives, transfers and what waits for them, in order; positions in it index a class's open state.
  const std::vector<std::size_t>& open() const { return open_; }
  bool is_open(std::size_t vertex) const { return open_position_[vertex] != kFixed; }
  std::size_t open_position(std::size_t vertex) const { return open_position_[vertex]; }
  std::span<const std::uint32_t> predecessors(std::size_t vertex) const { return order_.predecessors(vertex); }
  std::span<const std::uint32_t> successors(std::size_t vertex) const { return order_.successors(vertex); }
  const StepNode& node(std::size_t vertex) const { return order_.node(vertex); }
  /// Tells whether the vertex runs between ranks: a collective or a transfer.
  bool is_exchange(std::size_t vertex) const { return workloads::is_exchange(node(vertex)); }
  std::size_t size() const { return order_.size(); }
  /// Kernels run at the class's speed, host work at the host's.
  Seconds duration(std::size_t vertex, double speed) const;

 private:
  static constexpr std::size_t kFixed = static_cast<std::size_t>(-1);
  void add_to_role(std::size_t vertex, int role);

  StepOrder order_;
  std::vector<Seconds> duration_;
  std::vector<std::size_t> open_, open_position_;
  std::vector<std::vector<std::uint32_t>> of_role_;
};

}  // namespace mlsim::sim
