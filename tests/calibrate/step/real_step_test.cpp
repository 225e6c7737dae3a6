#include "calibrate/step/real_step.hpp"

#include <map>
#include <string>

#include "calibrate/step/step_report.hpp"
#include "catch.hpp"
#include "kernels/cpu/cpu_kernel.hpp"
#include "workloads/lowering/lowering.hpp"

namespace mlsim::test {
namespace {

bool has_kernels() { return !cpu_versions().empty(); }

StepGraph graph_of(const std::string& workload, double batch) {
  StepPlan plan;
  plan.batch_per_accelerator = batch;
  return lower(ShardedModel(load_model(workload)), plan);
}

std::map<KernelOp, int> counts(const StepGraph& graph) {
  std::map<KernelOp, int> all;
  for_kernels(graph, [&](const KernelWork& work, int repeats) { all[work.key.op] += repeats; });
  return all;
}

std::map<KernelOp, int> counts_of_one_step(RealStep& run) {
  KernelTally tally;
  run.step(tally);
  std::map<KernelOp, int> all;
  for (const auto& [op, each] : tally.by_op()) all[op] = each.count;
  return all;
}

double loss_after(RealStep& run, int steps) {
  KernelTally tally;
  for (int i = 0; i < steps; ++i) run.step(tally);
  return run.loss();
}

TEST_CASE("every kernel of a step graph is run and none is left out") {
  if (!has_kernels()) return;
  for (const std::string workload : {"resnet20-cifar", "logreg-epsilon"}) {
    const StepGraph graph = graph_of(workload, 2);
    CHECK(counts_of_one_step(*graph_run(graph, 0)) == counts(graph));
  }
}

TEST_CASE("a training step that was written out by hand runs as many kernels of each kind as the step graph") {
  if (!has_kernels()) return;
  for (const std::string workload : {"resnet20-cifar", "logreg-epsilon"})
    CHECK(counts_of_one_step(*training_run(workload, 2, 0)) == counts(graph_of(workload, 2)));
}

// The least of three steps on one thread, which has nobody to wait for on a busy machine.
Seconds convolution_time(RealStep& run) {
  Seconds least(1e9);
  for (int i = 0; i < 3; ++i) {
    KernelTally tally;
    run.step(tally);
    Seconds sum;
    for (const KernelOp op : {KernelOp::conv_forward, KernelOp::conv_input_gradient, KernelOp::conv_weight_gradient})
      sum += tally.by_op().at(op).time;
    least = min(least, sum);
  }
  return least;
}

// A reference implementation takes hundreds of times as long.
TEST_CASE("convolutions in the layout of a whole step are of the same kind as those in oneDNN's own") {
  if (!has_kernels()) return;
  const Seconds own = convolution_time(*graph_run(graph_of("resnet20-cifar", 2), 1));
  CHECK(convolution_time(*training_run("resnet20-cifar", 2, 1)) < own * 20.0);
}

// On one thread: on a busy machine a team waits for a slice of the processor at every kernel.
TEST_CASE("ResNet-20 learns 8 random images by heart") {
  if (!has_kernels()) return;
  const auto run = training_run("resnet20-cifar", 8, 1);
  const double first = loss_after(*run, 1);
  CHECK(first > 1.5);  // ln 10 = 2.3 where nothing is known
  CHECK(first < 4);
  CHECK(loss_after(*run, 20) < 0.5 * first);
}

TEST_CASE("logistic regression learns a hidden hyperplane") {
  if (!has_kernels()) return;
  const auto run = training_run("logreg-epsilon", 128, 1);
  const double first = loss_after(*run, 1);
  CHECK(first == Approx(0.693147).epsilon(1e-4));  // ln 2: weights of 0
  CHECK(loss_after(*run, 50) < 0.9 * first);
}

TEST_CASE("all threads learn in three steps what one learns") {
  if (!has_kernels()) return;
  for (const std::string workload : {"resnet20-cifar", "logreg-epsilon"}) {
    CAPTURE(workload);
    const double alone = loss_after(*training_run(workload, 8, 1), 3);
    CHECK(loss_after(*training_run(workload, 8, 0), 3) == Approx(alone).epsilon(1e-3));
  }
}

TEST_CASE("only a step of more bytes than the last level of cache is cold") {
  CHECK(step_cache(graph_of("logreg-epsilon", 128)) == Cache::hot);
  CHECK(step_cache(graph_of("resnet20-cifar", 4096)) == Cache::cold);
}

TEST_CASE("a workload without a training step of its own says so") {
  CHECK_THROWS_AS(training_run("resnet50", 2, 0), Unavailable);
}

}  // namespace
}  // namespace mlsim::test
