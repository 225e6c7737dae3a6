#include "calibrate/measure_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string_view>

#include "core/kernel/probe_name.hpp"
#include "costs/kernel_work.hpp"
#include "workloads/lowering/step_graph.hpp"
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
    for (StepVertex vertex = 0; vertex < graph.size(); ++vertex) {
      if (runs > 0)
        count(step.kernels, graph[vertex]);
      else if (graph[vertex].part == StepPart::optimizer && graph[vertex].kind == NodeKind::kernel)
        count(step.kernels, *graph[vertex].work, 0);
    }
    runs = 0;
  }
  return step;
}

// Making buffers, filling them and computing a reference on one core takes tenths of a second for the usual sizes.
constexpr Seconds kPreparation(0.3);
// cuDNN compiles a kernel when it is asked for: the best of four that take up to 4 s each.
constexpr Seconds kCompilation(8);

bool is_compiled(const std::string& subject) {
  constexpr std::string_view kProbe = "probe ";
  if (!subject.starts_with(kProbe)) return false;
  const ProbeName probe = parse_probe_name(subject.substr(kProbe.size()));
  return probe.kind.starts_with("conv_") && probe.kind != "conv_bias_relu" && probe.variant == "fused";
}

// Ceilings, copies and matrix products have work; the other probes are small beside them.
KernelWork probe_work(const std::string& text) {
  const ProbeName probe = parse_probe_name(text);
  KernelWork work;
  double product = 2;
  for (const std::int64_t size : probe.sizes) product *= static_cast<double>(size);
  if (probe.kind == "gemm") work.flop = Flop(product);
  if (probe.kind == "copy") work.bytes = Bytes(product);
  return work;
}

// A GPU is assumed to reach half of what a V100 does; a launch takes some microseconds on all.
AssumedMachine assumed_gpu() { return {FlopPerSecond(10e12), gigabytes_per_second(400), microseconds(5)}; }

class PlanBuilder {
 public:
  explicit PlanBuilder(const PlanChoices& choices) : choices_(choices) {}

  MeasurePlan plan() {
    for (const StepKernel& kernel : step_kernels(choices_.steps, machine(1))) add_kernel(kernel);
    for (const auto& probe : choices_.probes) add_probe(probe);
    shuffle(plan_.measurements, choices_.seed);
    if (choices_.grid) add_grid();
    return std::move(plan_);
  }

 private:
  void add_grid() {
    MeasurePlan steps;
    std::swap(steps, plan_);
    std::set<Precision> precisions;
    for (const auto& step : choices_.steps) precisions.insert(step.precision);
    if (precisions.empty()) precisions.insert(Precision::fp32);
    for (const Precision precision : precisions)
      for (const KernelKey& key : kernel_grid(choices_.device, precision)) add_kernel({kernel_work(key), 0, 0, {}});
    shuffle(plan_.measurements, choices_.seed);
    plan_.measurements.insert(plan_.measurements.begin(), steps.measurements.begin(), steps.measurements.end());
  }

  void add_kernel(const StepKernel& kernel) {
    const std::string subject = "kernel " + to_text(kernel.work.key);
    if (!subjects_.insert(subject).second) return;
    for (const int threads : choices_.threads)
      for (const Cache cache : states(kernel)) {
        PlannedMeasurement& planned = add({subject, threads, cache, choices_.rule}, kernel.work);
        planned.runs = kernel.runs;
        planned.share = kernel.share;
        planned.workload = kernel.workload;
      }
  }

  std::vector<Cache> states(const StepKernel& kernel) const {
    if (choices_.caches.empty()) {
      const Cache state = step_cache(kernel.step_moved, choices_.last_level);
      return {state == Cache::hot && kernel.reads_batch ? Cache::fresh : state};
    }
    std::vector<Cache> asked = choices_.caches;
    if (!kernel.reads_batch) std::erase(asked, Cache::fresh);
    return asked;
  }

  void add_probe(const std::string& probe) {
    const std::string subject = "probe " + probe;
    if (!subjects_.insert(subject).second) return;
    for (const int threads : choices_.threads) add({subject, threads, Cache::cold, choices_.rule}, probe_work(probe));
  }

  PlannedMeasurement& add(const MeasureOrder& order, const KernelWork& work) {
    PlannedMeasurement& planned = plan_.measurements.emplace_back();
    planned.order = order;
    planned.expected = modelled_time(work, machine(order.threads));
    return planned;
  }

  AssumedMachine machine(int threads) const {
    return choices_.device == KernelDevice::cuda ? assumed_gpu() : assumed_processor(std::max(threads, 1));
  }

  const PlanChoices& choices_;
  MeasurePlan plan_;
  std::set<std::string> subjects_;
};

}  // namespace

// One core with 256-bit vectors at a few GHz reaches tens of GFLOP/s in large products and some GB/s of its own.
AssumedMachine assumed_processor(int threads) {
  return {FlopPerSecond(20e9 * threads), gigabytes_per_second(5.0 * threads), microseconds(5)};
}

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

std::string MeasurePlan::identity() const {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a, 64 bit
  for (const auto& measurement : measurements) {
    for (const char c : to_line(measurement.order) + "\n") {
      hash ^= static_cast<unsigned char>(c);
      hash *= 1099511628211u;
    }
  }
  return fmt::format("{:016x}", hash);
}

MeasurePlan measure_plan(const PlanChoices& choices) { return PlanBuilder(choices).plan(); }

// The shuffle is that of Fisher and Yates; std::shuffle may differ from one standard library to the next.
void shuffle(std::vector<PlannedMeasurement>& measurements, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t left = measurements.size(); left > 1; --left)
    std::swap(measurements[left - 1], measurements[random() % left]);
}

Seconds cost(const PlannedMeasurement& measurement) {
  const auto& rule = measurement.order.rule;
  const Seconds preparation = is_compiled(measurement.order.subject) ? kCompilation : kPreparation;
  return preparation + max(rule.time_limit, measurement.expected * static_cast<double>(rule.min_samples));
}

Seconds cost(const MeasurePlan& plan) {
  Seconds sum;
  for (const auto& measurement : plan.measurements) sum += cost(measurement);
  return sum;
}

}  // namespace mlsim::calibrate
