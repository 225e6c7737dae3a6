#include "reports/replay/replay_timeline.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace mlsim::reports {
namespace {

template <class Names>
std::size_t number_of(const Names& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

sim::Span span_of(const ReplaySpan& measured, const ReplayNode& node, std::size_t rank, Seconds begin) {
  sim::Span span;
  span.vertex = static_cast<std::size_t>(node.vertex);
  span.rank_class = static_cast<std::uint32_t>(rank);
  span.stream = static_cast<workloads::Stream>(number_of(workloads::kStreamNames, node.stream));
  span.part = static_cast<workloads::StepPart>(number_of(workloads::kStepPartNames, node.part));
  span.name = node.name;
  span.begin = begin + measured.begin;
  span.end = begin + measured.end;
  return span;
}

}  // namespace

sim::Timeline measured_timeline(const ReplayRun& run) {
  std::map<int, const ReplayNode*> nodes;
  for (const ReplayNode& node : run.nodes) nodes[node.vertex] = &node;
  sim::Timeline timeline;
  timeline.class_size.assign(run.ranks.size(), 1);
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    Seconds begin;
    for (std::size_t s = 0; s < run.step_times.size(); begin += run.step_times[s++])
      for (const ReplaySpan& span : run.ranks[rank].steps[s])
        timeline.spans.push_back(span_of(span, *nodes.at(span.vertex), rank, begin));
  }
  return timeline;
}

}  // namespace mlsim::reports
