#include "calibrate/step_kernels.hpp"

#include <algorithm>
#include <map>

#include "workloads/lowering/step_traffic.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::calibrate {
namespace {

using Counted = std::vector<std::pair<KernelWork, double>>;  // kernel and runs in a step

struct StepContents {
  Counted kernels;
  StepTraffic traffic;
};

void count(Counted& kernels, const KernelWork& work, double runs) {
  const auto known =
      std::find_if(kernels.begin(), kernels.end(), [&](const auto& each) { return each.first.key == work.key; });
  if (known == kernels.end())
    kernels.emplace_back(work, runs);
  else
    known->second += runs;
}

// A sequence stands for kernels of micro-batches, each of which is a kernel like any other.
void count(Counted& kernels, const StepNode& node) {
  for_kernels_of(node, [&](const KernelWork& work) { count(kernels, work, node.repeats); });
}

StepContents contents_of(const StepChoice& choice) {
  const Model model = load_model(choice.workload);
  StepPlan plan;
  plan.batch_per_accelerator = choice.batch;
  plan.precision = choice.precision;
  plan.fusion = choice.fusion;
  StepContents step;
  double runs = 1;  // 0 for what only the further optimizers do
  for (const Optimizer optimizer : usual_optimizers(model.family)) {
    plan.optimizer = optimizer;
    const StepGraph graph = lower(model, plan);
    if (runs > 0) step.traffic = step_traffic(graph);
    for (const auto vertex : boost::make_iterator_range(boost::vertices(graph))) {
      if (runs > 0)
        count(step.kernels, graph[vertex]);
      else if (graph[vertex].part == StepPart::optimizer && graph[vertex].kind == NodeKind::kernel)
        count(step.kernels, graph[vertex].work, 0);
    }
    runs = 0;
  }
  return step;
}

}  // namespace

// One core with 256-bit vectors at a few GHz reaches tens of GFLOP/s in large products and some GB/s of its own.
AssumedMachine assumed_processor(int threads) {
  return {FlopPerSecond(20e9 * threads), gigabytes_per_second(5.0 * threads), microseconds(5)};
}

// A GPU is assumed to reach half of what a V100 does; a launch takes some microseconds on all.
AssumedMachine assumed_gpu() { return {FlopPerSecond(10e12), gigabytes_per_second(400), microseconds(5)}; }

Seconds modelled_time(const KernelWork& work, const AssumedMachine& machine) {
  return max(work.flop / machine.compute, work.bytes / machine.memory) + machine.per_kernel * work.launches;
}

std::vector<StepKernel> step_kernels(const std::vector<StepChoice>& choices, const AssumedMachine& machine) {
  std::vector<StepKernel> all;
  std::map<KernelKey, std::size_t> index;
  for (const auto& choice : choices) {
    const StepContents contents = contents_of(choice);
    Seconds step;
    for (const auto& [work, runs] : contents.kernels) step += modelled_time(work, machine) * runs;
    for (const auto& [work, runs] : contents.kernels) {
      const double share = step > Seconds(0) ? modelled_time(work, machine) * runs / step : 0;
      const auto [known, unseen] = index.emplace(work.key, all.size());
      if (unseen) all.push_back({work});
      StepKernel& kernel = all[known->second];
      kernel.reads_batch |= contents.traffic.batch_readers.contains(work.key);
      if (!unseen && share <= kernel.share) continue;
      kernel.runs = runs;
      kernel.share = share;
      kernel.workload = choice.workload;
      kernel.step_moved = contents.traffic.moved;
    }
  }
  return all;
}

}  // namespace mlsim::calibrate
