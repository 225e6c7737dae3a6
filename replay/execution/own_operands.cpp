
#include <map>
#include <memory>
#include <vector>

#include "core/text/errors.hpp"
#include "kernels/cpu/cpu_kernel.hpp"
#include "kernels/cpu/fused/update.hpp"
#include "replay/execution/node_kernels.hpp"
#include "replay/execution/replay_plan.hpp"
#include "replay/namespace.hpp"
#include "workloads/lowering/optimizer.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::replay {
namespace {

std::int64_t server_parameters(const ReplayPlan& plan, int ranks) {
  return (plan.model.trainable_parameters() + ranks - 1) / ranks;
}

std::size_t pushes_of(const workloads::StepGraph& graph) {
  std::size_t pushes = 0;
  for (StepVertex vertex = 0; vertex < graph.size(); ++vertex)
    if (graph[vertex].collective == CollectiveKind::parameter_push && workloads::is_exchange(graph[vertex])) ++pushes;
  return pushes;
}

// A ServerUpdate updates a parameter server's part of all weights, once the last gradients are there.
class ServerUpdate {
 public:
  // Updates as the server of each of `ranks` ranks does.
  ServerUpdate(const ReplayPlan& plan, int ranks, int threads)
      : tensors_(server_parameters(plan, ranks), 1, 1),
        rule_(workloads::update_cost(plan.step.optimizer, true).update.rule),
        pushes_(pushes_of(plan.graph)),
        threads_(threads) {
    if (kernels::takes_norms_of_gradients(rule_) || kernels::takes_norms_of_steps(rule_) || rule_ == UpdateRule::other)
      throw Unavailable("servers hold parts of tensors, and this optimizer needs norms of whole ones");
  }

  // The rank tells it of each exchange that is done.
  void after(const workloads::StepNode& node) {
    if (node.collective != CollectiveKind::parameter_push || ++pushed_ < pushes_) return;
    pushed_ = 0;
    kernels::update_fused(rule_, tensors_, threads_);
  }

 private:
  kernels::Tensors tensors_;
  UpdateRule rule_;
  std::size_t pushes_, pushed_ = 0;  // of a step, and of this one so far
  int threads_;
};

using namespace workloads;

class OwnOperands : public NodeKernels {
 public:
  OwnOperands(const ReplayPlan& plan, int rank, int ranks, int threads)
      : graph_(plan.graph), of_vertex_(graph_.size()) {
    if (plan.step.parameter_servers) server_ = std::make_unique<ServerUpdate>(plan, ranks, threads);
    const auto batch_readers = step_traffic(graph_).batch_readers;
    std::map<const void*, std::shared_ptr<Kernels>> sequences;  // that micro-batches share
    for (StepVertex vertex = 0; vertex < graph_.size(); ++vertex) {
      const StepNode& node = graph_[vertex];
      if (!is_compute(node) || node.role != plan.stage_of(rank)) continue;
      auto& known = of_vertex_[vertex];
      if (node.sequence) known = sequences[node.sequence.get()];
      if (known) continue;
      known = std::make_shared<Kernels>();
      if (node.sequence) sequences[node.sequence.get()] = known;
      for_kernels_of(node, [&](const KernelWork& work) {
        const Cache cache = batch_readers.contains(work.key) ? Cache::fresh : Cache::hot;
        known->push_back({cache, kernels::cpu_kernel(work.key, threads)});
      });
    }
  }

  void run(StepVertex vertex) override {
    for (int i = 0; i < graph_[vertex].repeats; ++i)
      for (const Kernel& kernel : *of_vertex_[vertex]) kernel.timed->sample(kernel.cache);
  }

  void bring(StepVertex, calibrate::Exchange&) override {}

  void take(StepVertex vertex, calibrate::Exchange&) override {
    if (server_) server_->after(graph_[vertex]);
  }

 private:
  struct Kernel {
    Cache cache;  // hot: as the step itself leaves it
    std::unique_ptr<kernels::Timed> timed;
  };
  using Kernels = std::vector<Kernel>;

  const StepGraph& graph_;
  std::vector<std::shared_ptr<Kernels>> of_vertex_;
  std::unique_ptr<ServerUpdate> server_;
};

}  // namespace

std::unique_ptr<NodeKernels> own_operands(const ReplayPlan& plan, int rank, int ranks, int threads) {
  return std::make_unique<OwnOperands>(plan, rank, ranks, threads);
}

}  // namespace mlsim::replay
