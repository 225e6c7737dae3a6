// One training step of one role as a graph: what is simulated is what is replayed, node for node.
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <cstdint>
#include <string>

#include "core/collective.hpp"
#include "core/kernel_key.hpp"
#include "core/units.hpp"

namespace mlsim {

enum class NodeKind : std::uint8_t { kernel, collective, host_work };
enum class Stream : std::uint8_t { compute, communication, host };
/// Which part of the step a node belongs to, for the breakdown.
enum class StepPart : std::uint8_t { input, forward, backward, gradient_exchange, optimizer };

struct StepNode {
  NodeKind kind = NodeKind::kernel;
  Stream stream = Stream::compute;
  StepPart part = StepPart::forward;
  std::string name;  // "stage2.block0.conv1 weight gradient"
  KernelWork work;   // kernel: what it does
  CollectiveKind collective = CollectiveKind::all_reduce;
  Bytes payload;       // collective: bytes per rank
  std::string axis;    // collective: mesh axis, "data"
  double samples = 0;  // host_work: samples to decode and deliver
  Seconds host_time;   // host_work: time of its own, for a layer that runs on the host
  int repeats = 1;     // so often one after the other, for micro-batches whose gradients add up
};

/// Edges are dependencies; nodes of one stream also run in order of their vertex number.
/// Every edge goes from a lower to a higher vertex number, so vertex order is a topological order.
using StepGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, StepNode>;

}  // namespace mlsim
