#include "sim/exchange/exchange_key.hpp"

namespace mlsim::sim {

ExchangeKey key_of(const StepNode& node) {
  if (node.kind == NodeKind::transfer) return {CollectiveKind::send_receive, {}, node.role, node.peer};
  return {node.collective, node.axes, node.role, node.role};
}

}  // namespace mlsim::sim
