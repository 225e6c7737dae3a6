// A StepGraph is one training step of one role: what is simulated is what is replayed, node for node.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/flat_lists.hpp"
#include "core/kernel/kernel_key.hpp"
#include "core/profile/collective.hpp"
#include "core/units.hpp"
#include "workloads/lowering/parallelism.hpp"

namespace mlsim::workloads {

/// A kernel sequence stands for several kernels back to back, which micro-batches share. A transfer carries a payload
/// from the ranks of a pipeline stage to those of another.
enum class NodeKind : std::uint8_t { kernel, kernel_sequence, collective, transfer, host_work };
/// Gradients move on `communication`, concurrently with the backward pass; what a pass waits for moves on `exchange`.
enum class Stream : std::uint8_t { compute, communication, host, exchange };
inline constexpr std::size_t kStreams = 4;
/// Names stand by stream, in the order of the enum.
inline constexpr std::array kStreamNames{"compute", "communication", "host", "exchange"};
static_assert(kStreamNames.size() == kStreams);
/// A StepPart says which part of the step a node belongs to, for the breakdown.
enum class StepPart : std::uint8_t { input, forward, backward, gradient_exchange, optimizer };
/// Names stand by part, in the order of the enum.
inline constexpr std::array kStepPartNames{"input", "forward", "backward", "gradient exchange", "optimizer"};

/// NodeWork is what a kernel node does; other nodes do nothing, which takes no room. Copies share it.
class NodeWork {
 public:
  NodeWork() = default;
  NodeWork(const KernelWork& work) : work_(std::make_shared<const KernelWork>(work)) {}
  const KernelWork& operator*() const { return work_ ? *work_ : nothing(); }
  const KernelWork* operator->() const { return &**this; }

 private:
  static const KernelWork& nothing();
  std::shared_ptr<const KernelWork> work_;
};

struct StepNode {
  NodeKind kind = NodeKind::kernel;
  Stream stream = Stream::compute;
  StepPart part = StepPart::forward;
  std::string name;                                         // "stage2.block0.conv1 weight gradient"
  NodeWork work;                                            // kernel: what it does
  std::shared_ptr<const std::vector<KernelWork>> sequence;  // kernel sequence: what each does
  CollectiveKind collective = CollectiveKind::all_reduce;
  Bytes payload;                 // collective, transfer: bytes per rank; host_work: copied to or from the host
  AxisSet axes;                  // collective: between ranks that differ in these coordinates only
  int copies = 1;                // all-to-all: ranks that each element goes to, where one copy a node will do
  int role = 0;                  // the pipeline stage that runs it; of a transfer, the one that sends
  int peer = 0;                  // transfer: the stage that receives
  double samples = 0;            // host_work: samples to decode and deliver
  Seconds host_time;             // host_work: time of its own, for a layer that runs on the host
  int repeats = 1;               // so often one after the other, for micro-batches whose gradients add up
  bool beside = false;           // exchange: it runs beside the kernels of its pass, not before or behind them
  bool weight_gradient = false;  // kernel: nothing of the backward pass reads what it makes
};

/// A pass is forward or backward.
inline bool is_pass(StepPart part) { return part == StepPart::forward || part == StepPart::backward; }
inline bool is_pass(const StepNode& node) { return is_pass(node.part); }

inline bool is_compute(const StepNode& node) {
  return node.kind == NodeKind::kernel || node.kind == NodeKind::kernel_sequence;
}

/// Calls `visit(work)` for each kernel that the node stands for, once, however often the node repeats.
template <class Visit>
void for_kernels_of(const StepNode& node, Visit&& visit) {
  if (node.kind == NodeKind::kernel) visit(*node.work);
  if (node.kind != NodeKind::kernel_sequence) return;
  for (const KernelWork& work : *node.sequence) visit(work);
}

/// An exchange runs between ranks.
inline bool is_exchange(const StepNode& node) {
  return node.kind == NodeKind::collective || node.kind == NodeKind::transfer;
}

/// Says whether the ranks of a stage run the node or receive from it.
inline bool takes_part(const StepNode& node, int role) {
  return node.role == role || (node.kind == NodeKind::transfer && node.peer == role);
}

using StepVertex = std::size_t;
using Vertices = std::vector<StepVertex>;

/// Edges are dependencies; nodes of one stream of one role also run in order of their vertex number. Transfers run as
/// soon as what they carry is there. An edge joins nodes of one role, or leads from a transfer to a node of its peer.
/// Every edge goes from a lower to a higher vertex number, so vertex order is a topological order. A graph of a large
/// pipeline has a million nodes, which is why its edges are flat lists and not lists of their own.
class StepGraph {
 public:
  /// Adds a node that waits for those of `after`, which may be named more than once. Throws std::logic_error where one
  /// of them is not there yet.
  StepVertex add(StepNode node, Vertices after);

  /// Makes room for so many nodes.
  void reserve(std::size_t nodes) { nodes_.reserve(nodes); }

  std::size_t size() const { return nodes_.size(); }
  StepNode& operator[](StepVertex vertex) { return nodes_[vertex]; }
  const StepNode& operator[](StepVertex vertex) const { return nodes_[vertex]; }
  /// Lists what the node waits for by its edges, in ascending order.
  std::span<const std::uint32_t> predecessors(StepVertex vertex) const { return before_[vertex]; }

  /// Nodes come in vertex order.
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }

 private:
  std::vector<StepNode> nodes_;
  FlatLists before_;
};

/// StepTraffic is what a step does to the caches.
struct StepTraffic {
  Bytes moved;  // by all kernels, to and from memory at least
  /// No kernel comes before these convolutions and dense layers: nothing has read what they read, so that no cache
  /// holds it. The row numbers that a gather reads are small against the rows.
  std::set<KernelKey> batch_readers;
};

StepTraffic step_traffic(const StepGraph& graph);

}  // namespace mlsim::workloads
