#include "replay/execution/node_times.hpp"

#include <compare>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "calibrate/measure.hpp"
#include "calibrate/sample_statistics.hpp"

namespace mlsim::replay {
namespace {

// Packs values as bytes, for ranks of one program.
template <class Value>
std::string packed(const std::vector<Value>& values) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::string bytes(values.size() * sizeof(Value), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class Value>
std::vector<Value> unpacked(const std::string& bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

using namespace workloads;

using Times = std::vector<Seconds>;

using RankSpans = std::vector<std::pair<int, ReplaySpan>>;

// A transfer between two stages was there at this moment: the next one has the way for itself from then on, however
// early the sender was done with it.
using Arrivals = std::map<std::pair<int, int>, Seconds>;

// Returns, for one step, the time of every rank, or for an exchange one from the last rank's begin to the last rank's
// end. A transfer begins with the rank that sends; the other has waited.
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

// A share is what a stage computes or exchanges; the two are apart.
struct Share {
  int stage = 0;
  bool exchange = false;
  auto operator<=>(const Share&) const = default;
};

Share share_of(const StepNode& node) { return {node.role, is_exchange(node)}; }

// Samples have the times of all steps by vertex, and their sums in each step by share, of kernels on a rank.
struct NodeSamples {
  std::map<int, Times> times;
  std::map<Share, Times> sums;
};

void add_step(NodeSamples& samples, const StepGraph& graph, const std::vector<StepSpans>& by_rank, std::size_t step) {
  std::map<int, RankSpans> of_step;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
    for (const ReplaySpan& span : by_rank[rank][step]) of_step[span.vertex].emplace_back(static_cast<int>(rank), span);
  Arrivals arrivals;
  std::map<Share, Seconds> sums;
  std::map<Share, std::size_t> ranks;
  for (const auto& [vertex, spans] : of_step) {
    const StepNode& node = graph[static_cast<StepVertex>(vertex)];
    const Times times = times_of(spans, node, arrivals);
    samples.times[vertex].insert(samples.times[vertex].end(), times.begin(), times.end());
    for (const Seconds time : times) sums[share_of(node)] += time;
    ranks[share_of(node)] = times.size();
  }
  for (const auto& [share, sum] : sums) samples.sums[share].push_back(sum / double(ranks.at(share)));
}

Seconds median_of(const Times& times) { return calibrate::sample_statistics(times).median; }

std::map<int, Seconds> medians(const NodeSamples& samples) {
  std::map<int, Seconds> all;
  for (const auto& [vertex, times] : samples.times) all[vertex] = median_of(times);
  return all;
}

NodeSamples samples_of(const StepGraph& graph, const std::vector<StepSpans>& by_rank) {
  NodeSamples samples;
  for (std::size_t s = 0; s < by_rank.front().size(); ++s) add_step(samples, graph, by_rank, s);
  return samples;
}

// Returns medians, scaled within each share so that they add up to the median of its sums: what interrupts now one node
// and now another is in the sums only, and is shared out among them.
std::map<int, Seconds> times_that_add_up(const StepGraph& graph, const std::vector<StepSpans>& by_rank) {
  const NodeSamples samples = samples_of(graph, by_rank);
  std::map<int, Seconds> typical = medians(samples);
  std::map<Share, Seconds> sums;
  for (const auto& [vertex, time] : typical) sums[share_of(graph[static_cast<StepVertex>(vertex)])] += time;
  for (auto& [vertex, time] : typical) {
    const Share share = share_of(graph[static_cast<StepVertex>(vertex)]);
    if (sums[share] > Seconds(0)) time *= median_of(samples.sums.at(share)) / sums[share];
  }
  return typical;
}

Seconds time_of(const std::map<int, Seconds>& times, int vertex) {
  const auto found = times.find(vertex);
  return found == times.end() ? Seconds(0) : found->second;
}

}  // namespace

RankClock::RankClock(calibrate::World& world) : world_(world) {
  const calibrate::ClockLead lead = world.clock_lead();
  at_ = calibrate::steady_now();
  clock_ = {lead.lead, 0, lead.error};
}

void RankClock::compare_again() {
  const calibrate::ClockLead lead = world_.clock_lead();
  const Seconds passed = calibrate::steady_now() - at_;
  if (passed > Seconds(0)) clock_.drift = (lead.lead - clock_.lead) / passed;
  clock_.error = max(clock_.error, lead.error);
}

std::vector<ReplayClock> RankClock::gathered() const {
  std::vector<ReplayClock> all;
  for (const std::string& bytes : world_.gathered(packed(std::vector<ReplayClock>{clock_})))
    all.push_back(unpacked<ReplayClock>(bytes).front());
  return all;
}

Seconds RankClock::on_root(Seconds own) const { return own - clock_.lead - (own - at_) * clock_.drift; }

std::vector<StepSpans> gathered_spans(calibrate::World& world, const StepSpans& own, const RankClock& clock) {
  std::vector<StepSpans> by_rank(static_cast<std::size_t>(world.ranks()));
  for (const auto& step : own) {
    std::vector<ReplaySpan> spans = step;
    for (ReplaySpan& span : spans) span = {span.vertex, clock.on_root(span.begin), clock.on_root(span.end)};
    const auto all = world.gathered(packed(spans));
    for (std::size_t rank = 0; rank < all.size(); ++rank) by_rank[rank].push_back(unpacked<ReplaySpan>(all[rank]));
  }
  return by_rank;
}

std::vector<ReplayNode> node_times(const StepGraph& graph, const SpansOfRanks& spans) {
  const auto whole = times_that_add_up(graph, spans.whole), kernels = medians(samples_of(graph, spans.kernels)),
             exchanges = medians(samples_of(graph, spans.exchanges));
  std::vector<ReplayNode> nodes;
  for (const auto& [vertex, in_step] : whole) {
    const StepNode& node = graph[static_cast<StepVertex>(vertex)];
    ReplayNode each;
    each.vertex = vertex;
    each.name = node.name;
    each.stream = kStreamNames[static_cast<std::size_t>(node.stream)];
    each.part = kStepPartNames[static_cast<std::size_t>(node.part)];
    each.stage = node.role;
    each.exchange = is_exchange(node);
    each.payload = node.payload;
    each.alone = time_of(each.exchange ? exchanges : kernels, vertex);
    each.in_step = in_step;
    nodes.push_back(std::move(each));
  }
  return nodes;
}

}  // namespace mlsim::replay
