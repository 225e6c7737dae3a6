// An `ExchangeKey` is what collectives and transfers of a step have in common where one plan serves them all.
#pragma once

#include "core/profile/collective.hpp"
#include "sim/namespace.hpp"
#include "workloads/lowering/parallelism.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::sim {

/// Exchanges that are planned together share these: between whom they run, and what they do.
struct ExchangeKey {
  CollectiveKind kind = CollectiveKind::all_reduce;
  AxisSet axes;            // empty for transfers
  int role = 0, peer = 0;  // pipeline stage; of a transfer, the stages that send and receive
  int copies = 1;          // StepNode::copies
  auto operator<=>(const ExchangeKey&) const = default;
};
/// The key is that of a collective or transfer.
inline ExchangeKey key_of(const StepNode& node) {
  if (node.kind == NodeKind::transfer) return {CollectiveKind::send_receive, {}, node.role, node.peer, 1};
  return {node.collective, node.axes, node.role, node.role, node.copies};
}

}  // namespace mlsim::sim
