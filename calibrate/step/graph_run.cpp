#include "calibrate/step/graph_run.hpp"

#include <vector>

#include "kernels/cpu/cpu_kernel.hpp"
#include "workloads/lowering/step_graph.hpp"

namespace mlsim::calibrate {
namespace {

class GraphRun : public RealStep {
 public:
  GraphRun(const StepGraph& graph, int threads) {
    const auto batch_readers = step_traffic(graph).batch_readers;
    for_kernels(graph, [&](const KernelWork& work, int repeats) {
      const Cache cache = batch_readers.contains(work.key) ? Cache::fresh : Cache::hot;
      nodes_.push_back({work.key.op, repeats, cache, cpu_kernel(work.key, threads)});
    });
  }

  void step(KernelTally& tally) override {
    for (const Node& node : nodes_) {
      for (int i = 0; i < node.repeats; ++i) tally.run(node.op, [&] { node.kernel->sample(node.cache); });
    }
  }

 private:
  struct Node {
    KernelOp op;
    int repeats;
    Cache cache;  // hot: as the step itself leaves it
    std::unique_ptr<Timed> kernel;
  };

  std::vector<Node> nodes_;
};

}  // namespace

std::unique_ptr<RealStep> graph_run(const StepGraph& graph, int threads) {
  return std::make_unique<GraphRun>(graph, threads);
}

}  // namespace mlsim::calibrate
