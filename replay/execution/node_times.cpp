#include "replay/execution/node_times.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <map>
#include <string>
#include <utility>

#include "calibrate/sample_statistics.hpp"

namespace mlsim::replay {
namespace {

using namespace workloads;

using Times = std::vector<Seconds>;

using RankSpans = std::vector<std::pair<int, ReplaySpan>>;

// The moments at which a transfer between two stages was there: the next one has the way for itself from then on, however
// early the sender was done with it.
using Arrivals = std::map<std::pair<int, int>, Seconds>;

// Of one step: the time of every rank, or of an exchange one from the last rank's begin to the last rank's end. A
// transfer begins with the rank that sends; the other has waited.
Times times_of(const RankSpans& spans, const StepNode& node, Arrivals& arrivals) {
  if (!is_exchange(node)) {
    Times times;
    for (const auto& [rank, span] : spans) times.push_back(span.end - span.begin);
    return times;
  }
  const bool transfer = node.kind == NodeKind::transfer;
  Seconds begin(-1e300), end(-1e300);
  for (const auto& [rank, span] : spans) {
    end = max(end, span.end);
    if (!transfer || rank == node.role) begin = max(begin, span.begin);
  }
  if (transfer) {
    const auto [before, first] = arrivals.try_emplace({node.role, node.peer}, end);
    if (!first) begin = max(begin, std::exchange(before->second, end));
  }
  return {max(end - begin, Seconds(0))};
}

// By vertex over all steps.
std::map<int, Times> times_by_vertex(const StepGraph& graph, const std::vector<StepSpans>& by_rank) {
  std::map<int, Times> times;
  for (std::size_t s = 0; s < by_rank.front().size(); ++s) {
    std::map<int, RankSpans> of_step;
    Arrivals arrivals;
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
      for (const ReplaySpan& span : by_rank[rank][s]) of_step[span.vertex].emplace_back(static_cast<int>(rank), span);
    for (const auto& [vertex, spans] : of_step)
      for (const Seconds time : times_of(spans, graph[static_cast<StepVertex>(vertex)], arrivals))
        times[vertex].push_back(time);
  }
  return times;
}

Seconds median_of(const std::map<int, Times>& times, int vertex) {
  const auto found = times.find(vertex);
  return found == times.end() ? Seconds(0) : calibrate::sample_statistics(found->second).median;
}

}  // namespace

std::vector<ReplayNode> node_times(const StepGraph& graph, const SpansOfRanks& spans) {
  const auto whole = times_by_vertex(graph, spans.whole), kernels = times_by_vertex(graph, spans.kernels),
             exchanges = times_by_vertex(graph, spans.exchanges);
  std::vector<ReplayNode> nodes;
  for (const auto& [vertex, times] : whole) {
    const StepNode& node = graph[static_cast<StepVertex>(vertex)];
    ReplayNode each;
    each.vertex = vertex;
    each.name = node.name;
    each.stream = kStreamNames[static_cast<std::size_t>(node.stream)];
    each.part = kStepPartNames[static_cast<std::size_t>(node.part)];
    each.stage = node.role;
    each.exchange = is_exchange(node);
    each.payload = node.payload;
    each.alone = median_of(each.exchange ? exchanges : kernels, vertex);
    each.in_step = median_of(whole, vertex);
    nodes.push_back(std::move(each));
  }
  return nodes;
}

}  // namespace mlsim::replay
