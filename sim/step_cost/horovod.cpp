#include "sim/step_cost/horovod.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text/errors.hpp"
#include "sim/collectives/hop_table.hpp"
#include "sim/step/step_schedule.hpp"
#include "sim/step_cost/step_cost.hpp"

namespace mlsim::sim {
namespace {

constexpr Seconds kRequest = microseconds(1);  // of the coordinator, for a message and for a request in it

// Orders tensors as they become ready.
std::vector<int> ready_order(const std::vector<ReadyTensor>& tensors) {
  std::vector<int> order(tensors.size());
  std::iota(order.begin(), order.end(), 0);
  const auto ready = [&](int tensor) { return tensors[tensor].ready; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return ready(a) < ready(b); });
  return order;
}

// Gives the first of the times first, first + period, ... that is not before `when`.
Seconds next_tick(Seconds first, Seconds period, Seconds when) {
  if (when <= first) return first;
  if (period <= Seconds(0)) return when;
  const double cycles = std::ceil((when - first) / period);
  return max(when, first + period * cycles);
}

void fuse(const std::vector<ReadyTensor>& tensors, const std::vector<int>& seen, Bytes buffer, int cycle,
          std::vector<FusedBucket>& buckets) {
  bool open = false;
  for (const int tensor : seen) {
    const Bytes bytes = tensors[tensor].bytes;
    open = open && buckets.back().bytes + bytes <= buffer;
    if (!open) buckets.push_back({{}, Bytes(0), cycle});
    open = true;
    buckets.back().tensors.push_back(tensor);
    buckets.back().bytes += bytes;
  }
}

}  // namespace

FusionTimeline fuse_by_cycles(const std::vector<ReadyTensor>& tensors, const HorovodOptions& options,
                              const std::function<Seconds(int)>& agreement) {
  const std::vector<int> order = ready_order(tensors);
  const auto ready = [&](std::size_t place) { return tensors[order[place]].ready; };
  const Seconds idle = max(options.cycle, agreement(0));  // from one cycle that finds nothing to the next
  FusionTimeline timeline;
  Seconds next;  // the first cycle that has not begun
  for (std::size_t place = 0; place < order.size();) {
    const Seconds tick = next_tick(next, idle, ready(place));
    std::vector<int> seen;
    Seconds last;
    for (; place < order.size() && ready(place) <= tick; ++place) {
      seen.push_back(order[place]);
      last = ready(place);
    }
    const Seconds start = tick + agreement(static_cast<int>(seen.size()));
    fuse(tensors, seen, options.buffer, static_cast<int>(timeline.cycles.size()), timeline.buckets);
    timeline.cycles.push_back({last, tick, start});
    next = max(tick + options.cycle, start);
  }
  return timeline;
}

Seconds agreement_time(const Cluster& cluster, const LinkEfficiency& efficiency, const HorovodOptions& options,
                       int tensors) {
  const int ranks = cluster.ranks();
  if (ranks < 2) return Seconds(0);
  const Seconds message = HopTable(cluster, efficiency).hop(0, ranks - 1).alpha;
  const double steps = std::ceil(std::log2(ranks));
  if (options.cache) return message * steps;
  return message * (4 * steps) + kRequest * ((ranks - 1) * (1.0 + tensors));
}

std::vector<ReadyTensor> ready_tensors(const Plan& plan, const KernelCost& cost) {
  // Every tensor goes alone, so that its exchange waits for it and nothing else.
  StepPlan step = plan.step;
  step.bucket = step.first_bucket = Bytes(0);
  const LoweredPlan lowered = lowered_alone(lower(plan.part->sharded, step), lower_plan(plan).collectives);
  const StepSchedule schedule(*lowered.graph, StepCost(lowered, step_terms(plan), cost).durations());
  const auto intervals = schedule.fixed_part(1);
  std::vector<ReadyTensor> tensors;
  for (std::size_t v = 0; v < schedule.size(); ++v) {
    const StepNode& node = schedule.node(v);
    if (node.kind != NodeKind::collective || node.collective != CollectiveKind::all_reduce) continue;
    ReadyTensor tensor{node.payload, {}};
    for (const StepVertex before : lowered.graph->predecessors(v))
      tensor.ready = max(tensor.ready, intervals[before].end);
    tensors.push_back(tensor);
  }
  return tensors;
}

FusionCycles horovod_cycles(const Plan& plan, const KernelCost& cost) {
  const HorovodOptions options = plan.options.exchange.horovod;
  const auto tensors = ready_tensors(plan, cost);
  const FusionTimeline timeline = fuse_by_cycles(
      tensors, options, [&](int count) { return agreement_time(*plan.cluster, plan.efficiency, options, count); });
  FusionCycles cycles;
  cycles.bucket_of_tensor.resize(tensors.size());
  for (std::size_t b = 0; b < timeline.buckets.size(); ++b) {
    cycles.cycle_of_bucket.push_back(timeline.buckets[b].cycle);
    for (const int tensor : timeline.buckets[b].tensors) cycles.bucket_of_tensor[tensor] = static_cast<int>(b);
  }
  Seconds before;
  for (const auto& cycle : timeline.cycles) {
    cycles.wait_of_cycle.push_back(cycle.start - max(cycle.ready, before));
    before = cycle.start;
  }
  return cycles;
}

Statement horovod_statement(const FusionCycles& cycles, const HorovodOptions& options) {
  return Statement(named("all_reduces", static_cast<int>(cycles.cycle_of_bucket.size())), " all-reduces in ",
                   named("cycles", static_cast<int>(cycles.wait_of_cycle.size())), " cycles of ",
                   named("cycle", options.cycle), ", at most ", named("buffer", options.buffer), " fused");
}

}  // namespace mlsim::sim
