// A `StepOrder` says who waits for whom: by the graph's edges, and by each role's streams, which run a node at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/flat_lists.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::sim {

/// All code that runs a step keeps to this order. Vertices are numbered so that each follows those that it waits for.
class StepOrder {
 public:
  /// The graph must outlive the order. O(vertices + edges).
  StepOrder(const StepGraph& graph);

  /// A vertex waits for the sources of its edges, then for the vertex before it on the stream where no edge comes from
  /// that one.
  std::span<const std::uint32_t> predecessors(std::size_t vertex) const { return predecessors_[vertex]; }
  std::span<const std::uint32_t> successors(std::size_t vertex) const { return successors_[vertex]; }
  /// Leaves out those predecessors on the vertex's own stream that end before another of them does: of its stream only
  /// the one just before it remains.
  std::vector<std::size_t> nearest_predecessors(std::size_t vertex) const;

  const StepNode& node(std::size_t vertex) const { return (*graph_)[vertex]; }
  std::size_t size() const { return predecessors_.size(); }

 private:
  bool on_one_stream(std::size_t a, std::size_t b) const;

  const StepGraph* graph_;
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> before_on_stream_;  // kNone for the first of a stream, and for transfers
  FlatLists predecessors_, successors_;
};

/// even_step_time() gives a step whose ranks are all alike in closed form.
/// Returns the end of the step where no rank waits for another and each vertex takes its `duration`.
Seconds even_step_time(const StepOrder& order, const std::vector<Seconds>& duration);

}  // namespace mlsim::sim
