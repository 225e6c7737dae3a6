#include "replay/execution/server_update.hpp"

#include <boost/graph/adjacency_list.hpp>

#include "core/text/errors.hpp"
#include "workloads/lowering/optimizer.hpp"

namespace mlsim::replay {
namespace {

std::int64_t server_parameters(const ReplayPlan& plan, int ranks) {
  return (plan.model.trainable_parameters() + ranks - 1) / ranks;
}

std::size_t pushes_of(const workloads::StepGraph& graph) {
  std::size_t pushes = 0;
  for (const auto vertex : boost::make_iterator_range(boost::vertices(graph)))
    if (graph[vertex].collective == CollectiveKind::parameter_push && workloads::is_exchange(graph[vertex])) ++pushes;
  return pushes;
}

}  // namespace

ServerUpdate::ServerUpdate(const ReplayPlan& plan, int ranks, int threads)
    : tensors_(server_parameters(plan, ranks), 1, 1),
      rule_(workloads::update_cost(plan.step.optimizer, true).update.rule),
      pushes_(pushes_of(plan.graph)),
      threads_(threads) {
  if (kernels::takes_norms_of_gradients(rule_) || kernels::takes_norms_of_steps(rule_) || rule_ == UpdateRule::other)
    throw Unavailable("servers hold parts of tensors, and this optimizer needs norms of whole ones");
}

void ServerUpdate::after(const workloads::StepNode& node) {
  if (node.collective != CollectiveKind::parameter_push || ++pushed_ < pushes_) return;
  pushed_ = 0;
  kernels::update_fused(rule_, tensors_, threads_);
}

}  // namespace mlsim::replay
