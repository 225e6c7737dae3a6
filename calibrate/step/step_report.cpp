#include "calibrate/step/step_report.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <utility>

#include "calibrate/measure.hpp"
#include "calibrate/sample_statistics.hpp"
#include "core/text/errors.hpp"
#include "kernels/cache_size.hpp"
#include "kernels/cpu/cpu_kernel.hpp"
#include "workloads/lowering/lowering.hpp"

namespace mlsim::calibrate {
namespace {

constexpr int kWarmUps = 2;  // the first touches memory, the second finds it

Seconds median(std::vector<Seconds> times) { return sample_statistics(std::move(times)).median; }

StepGraph graph_of(const RealStepOrder& order) {
  StepPlan plan;
  plan.batch_per_accelerator = order.batch;
  // The training steps use these optimizers; LogisticTraining has no momentum.
  plan.optimizer = order.workload == "logreg-epsilon" ? Optimizer::sgd : Optimizer::momentum;
  return lower(ShardedModel(load_model(order.workload)), plan);
}

nlohmann::ordered_json json_of(const TimeByOp& times) {
  nlohmann::ordered_json json;
  for (const auto& [op, each] : times)
    json[std::string(name(op))] = {{"kernels", each.count}, {"time_s", each.time.value}};
  return json;
}

nlohmann::ordered_json json_of(const StepMeasurement& measured) {
  return {{"median_s", measured.time.median.value},
          {"lower_quartile_s", measured.time.lower_quartile.value},
          {"upper_quartile_s", measured.time.upper_quartile.value},
          {"runs", measured.time.count},
          {"kernels", kernels(measured.by_op)},
          {"by_op", json_of(measured.by_op)}};
}

double error_of(Seconds predicted, const StepMeasurement& measured) {
  return (predicted - measured.time.median) / measured.time.median;
}

}  // namespace

StepMeter::StepMeter(RealStep& run) : run_(run) {
  KernelTally tally;
  run_.step(tally);
  first_loss_ = run_.loss();
  for (int i = 1; i < kWarmUps; ++i) run_.step(tally);
}

void StepMeter::step() {
  KernelTally tally, none(/*timing=*/false);
  run_.step(tally);  // a step follows a step, and finds in the caches what that one left there
  const Seconds begin = steady_now();
  run_.step(none);
  whole_.push_back(steady_now() - begin);
  for (const auto& [op, each] : tally.by_op()) {
    by_op_[op].push_back(each.time);
    counts_[op] = each.count;
  }
}

StepMeasurement StepMeter::result() const {
  StepMeasurement measured;
  measured.first_loss = first_loss_;
  measured.last_loss = run_.loss();
  measured.time = sample_statistics(whole_);
  for (const auto& [op, times] : by_op_) measured.by_op[op] = {counts_.at(op), median(times)};
  return measured;
}

KernelMeter::KernelMeter(const StepGraph& graph, int threads) {
  std::map<KernelKey, int> counts;
  for_kernels(graph, [&](const KernelWork& work, int repeats) { counts[work.key] += repeats; });
  const auto batch_readers = step_traffic(graph).batch_readers;
  for (const auto& [key, count] : counts) {
    const Cache warm = batch_readers.contains(key) ? Cache::fresh : Cache::hot;
    kernels_.push_back({key.op, count, warm, cpu_kernel(key, threads), {}});
    for (int i = 0; i < kWarmUps; ++i) kernels_.back().timed->sample(warm);
  }
}

void KernelMeter::sample() {
  for (auto& kernel : kernels_) {
    kernel.times[Cache::cold].push_back(kernel.timed->sample(Cache::cold));
    kernel.times[Cache::hot].push_back(kernel.timed->sample(kernel.warm));
  }
}

TimeByOp KernelMeter::step(Cache cache) const {
  TimeByOp times;
  for (const auto& kernel : kernels_) {
    times[kernel.op].count += kernel.count;
    times[kernel.op].time += median(kernel.times.at(cache)) * double(kernel.count);
  }
  return times;
}

Cache step_cache(const StepGraph& graph) {
  return step_cache(step_traffic(graph).moved, Bytes(double(shared_cache_bytes())));
}

Seconds total(const TimeByOp& times) {
  Seconds sum;
  for (const auto& [op, each] : times) sum += each.time;
  return sum;
}

int kernels(const TimeByOp& times) {
  int sum = 0;
  for (const auto& [op, each] : times) sum += each.count;
  return sum;
}

StepReport step_report(const RealStepOrder& order) {
  if (order.batch < 1 || order.runs < 1) throw InputError("--step", "needs a batch and runs of at least 1");
  const StepGraph graph = graph_of(order);
  StepReport report;
  report.order = order;
  report.cache = step_cache(graph);
  KernelMeter kernels(graph, order.threads);
  const auto graph_steps = graph_run(graph, order.threads);
  std::unique_ptr<RealStep> training_steps;
  try {
    training_steps = training_run(order.workload, std::int64_t(order.batch), order.threads);
  } catch (const Unavailable& e) {
    report.no_training = e.what();
  }
  StepMeter graph_meter(*graph_steps);
  std::optional<StepMeter> training_meter;
  if (training_steps) training_meter.emplace(*training_steps);
  for (int i = 0; i < order.runs; ++i) {
    kernels.sample();
    graph_meter.step();
    if (training_meter) training_meter->step();
  }
  for (const Cache cache : {Cache::cold, Cache::hot}) report.predicted[cache] = kernels.step(cache);
  report.graph = graph_meter.result();
  if (training_meter) report.training = training_meter->result();
  return report;
}

std::string to_json(const StepReport& report) {
  nlohmann::ordered_json json{{"workload", report.order.workload},
                              {"batch", report.order.batch},
                              {"threads", report.order.threads},
                              {"cache", std::string(name(report.cache))},
                              {"graph", json_of(report.graph)}};
  const bool trained = report.no_training.empty();
  if (trained) {
    json["training"] = json_of(report.training);
    json["training"]["first_loss"] = report.training.first_loss;
    json["training"]["last_loss"] = report.training.last_loss;
  } else {
    json["no_training"] = report.no_training;
  }
  for (const auto& [cache, times] : report.predicted) {
    auto& one = json["predicted"][std::string(name(cache))];
    one = {{"time_s", total(times).value}, {"error_of_graph", error_of(total(times), report.graph)}};
    if (trained) one["error_of_training"] = error_of(total(times), report.training);
    one["by_op"] = json_of(times);
  }
  return json.dump(2);
}

}  // namespace mlsim::calibrate
