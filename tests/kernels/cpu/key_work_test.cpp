#include "kernels/key_work.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <set>
#include <string>

#include "catch.hpp"
#include "workloads/lowering/lowering.hpp"

namespace mlsim::test {
namespace {

// Work of all kernels of a step, one for each key.
std::vector<KernelWork> works(const std::string& workload, Optimizer optimizer) {
  StepPlan plan;
  plan.batch_per_accelerator = 4;
  plan.optimizer = optimizer;
  const StepGraph graph = lower(ShardedModel(load_model(workload)), plan);
  std::vector<KernelWork> all;
  std::set<KernelKey> seen;
  for (const auto vertex : boost::make_iterator_range(boost::vertices(graph))) {
    const KernelWork& work = graph[vertex].work;
    if (graph[vertex].kind == NodeKind::kernel && seen.insert(work.key).second) all.push_back(work);
  }
  return all;
}

double biases(const KernelKey& key) {
  switch (key.op) {
    case KernelOp::dense_forward:
    case KernelOp::dense_input_gradient:
    case KernelOp::dense_weight_gradient: return double(key.dims[2]) * std::max<double>(1, double(key.dims[3]));
    case KernelOp::conv_forward:
    case KernelOp::conv_input_gradient:
    case KernelOp::conv_weight_gradient: return double(key.dims[4]);
    default: return 0;
  }
}

TEST_CASE("a key alone gives the FLOP and bytes that the step graph counts, but for a bias that it does not name") {
  const auto workload = GENERATE(as<std::string>{}, "resnet20-cifar", "logreg-epsilon", "resnet50", "resnet152");
  const auto optimizer =
      GENERATE(Optimizer::sgd, Optimizer::momentum, Optimizer::lars, Optimizer::adam, Optimizer::lamb);
  for (const KernelWork& work : works(workload, optimizer)) {
    INFO(workload << ": " << to_text(work.key));
    const KeyWork counted = key_work(work.key);
    CHECK(counted.flop == work.flop);
    const Bytes bias = work.bytes - counted.bytes;
    CHECK(bias >= Bytes(-0.5));  // keys round the elements beside
    CHECK(bias <= Bytes(4 * biases(work.key) + 0.5));
  }
}

}  // namespace
}  // namespace mlsim::test
