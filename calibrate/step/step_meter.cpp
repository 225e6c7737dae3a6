#include "calibrate/step/step_meter.hpp"

#include <utility>

#include "calibrate/measure.hpp"
#include "calibrate/sample_statistics.hpp"
#include "calibrate/step/graph_kernels.hpp"
#include "kernels/cpu/cpu_kernel.hpp"
#include "workloads/lowering/step_traffic.hpp"

namespace mlsim::calibrate {
namespace {

constexpr int kWarmUps = 2;  // the first touches memory, the second finds it

Seconds median(std::vector<Seconds> times) { return sample_statistics(std::move(times)).median; }

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

}  // namespace mlsim::calibrate
