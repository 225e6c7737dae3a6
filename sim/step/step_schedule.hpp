// The part of a step that needs no simulation: what is known about a class's times before the first collective.
#pragma once

#include <cstddef>
#include <vector>

#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::sim {

/// A step graph prepared for execution: predecessors include the one before on the same stream.
class StepSchedule {
 public:
  StepSchedule(const StepGraph& graph, std::vector<Seconds> duration);

  struct Interval {
    Seconds begin, end;
  };
  /// Intervals of all vertices of a role that do not wait for a collective, at a compute speed factor; the rest is
  /// zero.
  std::vector<Interval> fixed_part(double speed, int role) const;

  /// Collectives, transfers and what waits for them, in order; positions in this list index a class's open state.
  const std::vector<std::size_t>& open() const { return open_; }
  bool is_open(std::size_t vertex) const { return open_position_[vertex] != kFixed; }
  std::size_t open_position(std::size_t vertex) const { return open_position_[vertex]; }
  const std::vector<std::size_t>& predecessors(std::size_t vertex) const { return predecessors_[vertex]; }
  const std::vector<std::size_t>& successors(std::size_t vertex) const { return successors_[vertex]; }
  const StepNode& node(std::size_t vertex) const { return (*graph_)[vertex]; }
  /// Between ranks: a collective or a transfer.
  bool is_exchange(std::size_t vertex) const { return workloads::is_exchange(node(vertex)); }
  std::size_t size() const { return predecessors_.size(); }
  /// Kernels run at the class's speed, host work at the host's.
  Seconds duration(std::size_t vertex, double speed) const;

 private:
  static constexpr std::size_t kFixed = static_cast<std::size_t>(-1);
  const StepGraph* graph_;
  std::vector<Seconds> duration_;
  std::vector<std::vector<std::size_t>> predecessors_, successors_;
  std::vector<std::size_t> open_, open_position_;
};

}  // namespace mlsim::sim
