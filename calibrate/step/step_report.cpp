#include "calibrate/step/step_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "calibrate/measure.hpp"
#include "calibrate/sample_statistics.hpp"
#include "calibrate/step/graph_kernels.hpp"
#include "core/errors.hpp"
#include "kernels/cpu/cache_size.hpp"
#include "kernels/cpu/cpu_kernel.hpp"
#include "workloads/lowering.hpp"

namespace mlsim {
namespace {

constexpr int kWarmUps = 2;  // the first touches memory, the second finds it

Seconds median(std::vector<Seconds> times) { return sample_statistics(std::move(times)).median; }

StepGraph graph_of(const StepOrder& order) {
  StepPlan plan;
  plan.batch_per_accelerator = order.batch;
  // Those that the training steps use; LogisticTraining has no momentum.
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
          {"between_kernels_s", measured.time.median.value - total(measured.by_op).value},
          {"by_op", json_of(measured.by_op)}};
}

double error_of(Seconds predicted, const StepMeasurement& measured) {
  return (predicted - measured.time.median) / measured.time.median;
}

}  // namespace

StepMeasurement measured_step(StepRun& run, int runs) {
  std::vector<Seconds> whole;
  std::map<KernelOp, std::vector<Seconds>> by_op;
  StepMeasurement measured;
  for (int i = -kWarmUps; i < runs; ++i) {
    KernelTally tally;
    const Seconds begin = steady_now();
    run.step(tally);
    const Seconds took = steady_now() - begin;
    if (i == -kWarmUps) measured.first_loss = run.loss();
    if (i < 0) continue;
    whole.push_back(took);
    for (const auto& [op, each] : tally.by_op()) {
      by_op[op].push_back(each.time);
      measured.by_op[op].count = each.count;
    }
  }
  measured.last_loss = run.loss();
  measured.time = sample_statistics(whole);
  for (auto& [op, times] : by_op) measured.by_op[op].time = median(times);
  return measured;
}

Cache step_cache(const StepGraph& graph) {
  Bytes moved;
  for_kernels(graph, [&](const KernelWork& work, int repeats) { moved += work.bytes * double(repeats); });
  return moved > Bytes(double(shared_cache_bytes())) ? Cache::cold : Cache::hot;
}

TimeByOp predicted_step(const StepGraph& graph, Cache cache, const StepOrder& order) {
  std::map<KernelKey, int> counts;
  for_kernels(graph, [&](const KernelWork& work, int repeats) { counts[work.key] += repeats; });
  TimeByOp times;
  for (const auto& [key, count] : counts) {
    const auto kernel = cpu_kernel(key, order.threads);
    const MeasureOrder alone{"kernel " + to_text(key), order.threads, cache, order.kernel};
    const MeasureReply reply = measure(*kernel, alone);
    if (!reply.unavailable.empty()) throw Unavailable(alone.subject + ": " + reply.unavailable);
    times[key.op].count += count;
    times[key.op].time += reply.time.median * double(count);
  }
  return times;
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

StepReport step_report(const StepOrder& order) {
  if (order.batch < 1 || order.runs < 1) throw InputError("--step", "needs a batch and runs of at least 1");
  const StepGraph graph = graph_of(order);
  StepReport report;
  report.order = order;
  report.cache = step_cache(graph);
  for (const Cache cache : {Cache::cold, Cache::hot}) report.predicted[cache] = predicted_step(graph, cache, order);
  report.graph = measured_step(*graph_run(graph, order.threads), order.runs);
  try {
    report.training =
        measured_step(*training_run(order.workload, std::int64_t(order.batch), order.threads), order.runs);
  } catch (const Unavailable& e) {
    report.no_training = e.what();
  }
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

}  // namespace mlsim
