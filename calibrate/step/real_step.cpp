#include "calibrate/step/real_step.hpp"

#include <vector>

#include "kernels/cpu/cpu_kernel.hpp"

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

std::unique_ptr<RealStep> training_run(const std::string& workload, std::int64_t batch, int threads) {
  if (workload == "resnet20-cifar") return residual_training(batch, threads);
  if (workload == "logreg-epsilon") return logistic_training(batch, threads);
  throw Unavailable("no training step is written out for " + workload +
                    "; there is one of resnet20-cifar and of "
                    "logreg-epsilon");
}

std::unique_ptr<RealStep> graph_run(const StepGraph& graph, int threads) {
  return std::make_unique<GraphRun>(graph, threads);
}

}  // namespace mlsim::calibrate
