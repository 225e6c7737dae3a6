// A RecordedGraph is a recorded step of one rank: what was asked for in which order, and what waits for what.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/units.hpp"
#include "replay/trace/rank_trace.hpp"

namespace mlsim::replay {

/// A node is a piece of the accelerator's work. It begins once the work before it on its stream has ended, the host has
/// launched it, and its producers have ended.
struct RecordedNode {
  std::size_t span = 0;                // index into RankTrace::spans
  std::size_t stream = 0;              // counted from 0
  std::vector<std::size_t> producers;  // earlier nodes on other streams
  std::optional<std::size_t> behind;   // a stream whose work of the step before has to end first
  Seconds unexplained;                 // by which it began later than all of this says
  /// The host works so long between the launch before, or the step's begin, and this launch. It is empty where the file
  /// has no launch of the node.
  std::optional<Seconds> host;
  /// The host had waited for the end of this node before, as for a copy to itself; `host` counts from then on.
  std::optional<std::size_t> awaited;
};

struct RecordedGraph {
  std::vector<RecordedNode> nodes;  // in the order of their launches, which is that of each stream
  std::size_t streams = 0;
  Seconds host_rest;                         // from the last launch to the step's end
  std::optional<std::size_t> awaited_first;  // as RecordedNode::awaited, for host_rest
  Seconds latency;                           // from a launch to its begin on an idle stream, median
  Seconds gap;                               // between two pieces of work on a busy stream, median
};

/// Three orders are kept: of each stream; launch before kernel, in the order of the host's launches; and producer
/// before collective, as a collective begins behind the kernels that were launched before it (PyTorch's process groups
/// record an event on the caller's stream and wait for it, torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp). A profile
/// does not say what waits for a collective: work that begins late, and just behind the end of work on another stream,
/// waits for that; of the step before, for the last work of a stream. What is late by more than 0.1 ms beyond that
/// stays so.
///
/// The host's waiting is no work of its own: a call much longer than its like (ten times the median) waits for the
/// copy that it asked for, or for room in the queue of launches.
RecordedGraph recorded_graph(const RankTrace& trace, std::size_t step);

}  // namespace mlsim::replay
