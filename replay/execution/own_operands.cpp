#include <boost/graph/adjacency_list.hpp>
#include <map>
#include <memory>
#include <vector>

#include "kernels/cpu/cpu_kernel.hpp"
#include "replay/execution/node_kernels.hpp"
#include "replay/execution/server_update.hpp"
#include "workloads/lowering/step_traffic.hpp"

namespace mlsim::replay {
namespace {

using namespace workloads;

class OwnOperands : public NodeKernels {
 public:
  OwnOperands(const ReplayPlan& plan, int rank, int ranks, int threads)
      : graph_(plan.graph), of_vertex_(boost::num_vertices(graph_)) {
    if (plan.step.parameter_servers) server_ = std::make_unique<ServerUpdate>(plan, ranks, threads);
    const auto batch_readers = step_traffic(graph_).batch_readers;
    std::map<const void*, std::shared_ptr<Kernels>> sequences;  // that micro-batches share
    for (const StepVertex vertex : boost::make_iterator_range(boost::vertices(graph_))) {
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
