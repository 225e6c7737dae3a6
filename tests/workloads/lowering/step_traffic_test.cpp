// What a step moves, and who reads its batch first.
#include "workloads/lowering/step_graph.hpp"

#include "catch.hpp"
#include "workloads/lowering/lowering.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

StepGraph graph_of(const std::string& workload, double batch, int micro_batches = 1) {
  StepPlan plan;
  plan.batch_per_accelerator = batch;
  plan.micro_batches = micro_batches;
  return lower(ShardedModel(load_model(workload)), plan);
}

std::set<std::string> readers(const StepGraph& graph) {
  std::set<std::string> texts;
  for (const KernelKey& key : step_traffic(graph).batch_readers) texts.insert(to_text(key));
  return texts;
}

}  // namespace

TEST_CASE("the first layer reads the batch, and none behind it") {
  CHECK(readers(graph_of("logreg-epsilon", 128)) == std::set<std::string>{"dense_forward fp32 128 2000 1"});
  const auto convolutions = readers(graph_of("resnet20-cifar", 128));
  REQUIRE(convolutions.size() == 1);
  CHECK(convolutions.begin()->starts_with("conv_forward fp32 128 3 32 32 16 3 1"));
  // Token numbers are small beside the rows that they name.
  CHECK(readers(graph_of("bert-base", 1)).empty());
}

TEST_CASE("a step of logistic regression moves its batch twice and little else") {
  const double batch = 128 * 2000 * 4, weights = 2000 * 4, rows = 128 * 4;
  const Bytes moved = step_traffic(graph_of("logreg-epsilon", 128)).moved;
  CHECK(moved.value >= 2 * batch + 4 * weights);
  CHECK(moved.value <= 2 * batch + 8 * weights + 16 * rows);
}

TEST_CASE("micro-batches move what each of them moves") {
  const Bytes one = step_traffic(graph_of("resnet20-cifar", 64)).moved;
  const Bytes two = step_traffic(graph_of("resnet20-cifar", 128, 2)).moved;
  CHECK(two.value > 1.9 * one.value);  // the update is made once
  CHECK(two.value <= 2.1 * one.value);
}
