#include "replay/trace/recorded_run.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mlsim::replay {
namespace {

std::size_t median_step(const std::vector<RecordedStep>& steps) {
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return steps[a].time < steps[b].time; });
  return order[order.size() / 2];
}

}  // namespace

bool host_bound(const RecordedRank& rank) {
  const StepSums& sums = rank.sums[rank.typical_step];
  return sums.idle > sums.busy - sums.exposed;
}

RecordedRun recorded_run(std::vector<RankTrace> traces) {
  RecordedRun run;
  run.alignment = aligned_collectives(traces);
  for (RankTrace& trace : traces) {
    RecordedRank rank{std::move(trace), {}, {}, 0};
    rank.sums = step_sums(rank.trace);
    rank.collectives = collective_times(rank.trace);
    rank.typical_step = median_step(rank.trace.steps);
    run.ranks.push_back(std::move(rank));
  }
  return run;
}

}  // namespace mlsim::replay
