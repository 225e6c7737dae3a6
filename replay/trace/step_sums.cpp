#include "replay/trace/step_sums.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace mlsim::replay {
namespace {

// An edge is a moment at which something of a kind begins (+1) or ends (-1).
struct Edge {
  Seconds at;
  int change = 0;
  std::size_t sort = 0;  // 0 compute, 1 collective, 2 copies and fills
};

std::size_t sort_of_work(RecordedKind kind) {
  return kind == RecordedKind::compute ? 0 : kind == RecordedKind::collective ? 1 : 2;
}

StepSums sums_of(std::vector<Edge>& edges) {
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
  StepSums sums;
  std::array<int, 3> running{};
  Seconds before;
  for (const Edge& edge : edges) {
    const Seconds past = edge.at - before;
    if (running[0] > 0) sums.compute += past;
    if (running[1] > 0) {
      sums.collective += past;
      (running[0] > 0 ? sums.overlapped : sums.exposed) += past;
    }
    if (running[2] > 0) sums.copy += past;
    if (running[0] + running[1] + running[2] > 0) sums.busy += past;
    running[edge.sort] += edge.change;
    before = edge.at;
  }
  return sums;
}

}  // namespace

std::vector<StepSums> step_sums(const RankTrace& trace) {
  std::vector<std::vector<Edge>> edges(trace.steps.size());
  std::vector<std::pair<std::size_t, std::size_t>> counts(trace.steps.size());
  for (const RecordedSpan& span : trace.spans) {
    const std::size_t sort = sort_of_work(span.kind);
    edges[span.step].push_back({span.begin, +1, sort});
    edges[span.step].push_back({span.end(), -1, sort});
    if (sort == 0) ++counts[span.step].first;
    if (sort == 1) ++counts[span.step].second;
  }
  std::vector<StepSums> all;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    StepSums sums = sums_of(edges[i]);
    sums.kernels = counts[i].first;
    sums.collectives = counts[i].second;
    sums.idle = std::max(Seconds(0), trace.steps[i].time - sums.busy);
    all.push_back(sums);
  }
  return all;
}

std::vector<CollectiveTimes> collective_times(const RankTrace& trace) {
  std::vector<CollectiveTimes> all;
  for (const RecordedSpan& span : trace.spans) {
    if (!span.collective) continue;
    const auto same = [&](const CollectiveTimes& c) { return c.collective == *span.collective; };
    auto found = std::find_if(all.begin(), all.end(), same);
    if (found == all.end()) found = all.insert(all.end(), {*span.collective, {}});
    found->times.push_back(span.duration);
  }
  for (CollectiveTimes& each : all) std::sort(each.times.begin(), each.times.end());
  return all;
}

}  // namespace mlsim::replay
