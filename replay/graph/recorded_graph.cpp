#include "replay/graph/recorded_graph.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace mlsim::replay {
namespace {

constexpr double kLongCall = 10;               // of the median call
constexpr Seconds kAtOnce = microseconds(20);  // an event on another stream is noticed within this

Seconds median_or(std::vector<Seconds> values, Seconds otherwise) {
  if (values.empty()) return otherwise;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

constexpr Seconds kSlack = microseconds(100);  // later than this is neither latency nor jitter

// A GraphBuilder builds one graph, with the spans of the step in the order of their launches.
class GraphBuilder {
 public:
  GraphBuilder(const RankTrace& trace, std::size_t step) : trace_(trace), step_(trace.steps[step]) {
    find_order(step);
    for (const RecordedSpan& each : trace.spans)
      if (step > 0 && each.step == step - 1) {
        Seconds& end = ends_before_.try_emplace(each.stream, each.end()).first->second;
        end = max(end, each.end());
      }
    for (const std::size_t span : order_) add_node(span);
    find_latencies();
    find_producers();
    find_host_work();
  }
  RecordedGraph take() { return std::move(graph_); }

 private:
  const RecordedSpan& span(std::size_t node) const { return trace_.spans[graph_.nodes[node].span]; }

  // Work without a launch goes with what its stream did before.
  void find_order(std::size_t step) {
    std::map<std::int64_t, Seconds> launched;
    std::vector<std::pair<Seconds, std::size_t>> keys;
    for (std::size_t s = 0; s < trace_.spans.size(); ++s) {
      const RecordedSpan& each = trace_.spans[s];
      if (each.step != step) continue;
      Seconds& last = launched.try_emplace(each.stream, step_.begin).first->second;
      last = max(last, each.launch.value_or(last));
      keys.emplace_back(last, s);
    }
    std::stable_sort(keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [key, s] : keys) order_.push_back(s);
  }

  void add_node(std::size_t s) {
    const auto [stream, fresh] = streams_.try_emplace(trace_.spans[s].stream, graph_.streams);
    if (fresh) {
      ++graph_.streams;
      last_.push_back({});
    }
    RecordedNode node;
    node.span = s;
    node.stream = stream->second;
    before_.push_back(last_[node.stream]);
    last_[node.stream] = graph_.nodes.size();
    graph_.nodes.push_back(std::move(node));
  }

  // Returns the end of the work before the node on its stream; the first node's is of the step before.
  Seconds stream_ready(std::size_t node) const {
    if (before_[node]) return span(*before_[node]).end();
    const auto found = ends_before_.find(span(node).stream);
    return found == ends_before_.end() ? step_.begin : max(step_.begin, found->second);
  }

  void find_latencies() {
    std::vector<Seconds> latencies, gaps;
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const RecordedSpan& each = span(n);
      if (!each.launch || !before_[n]) continue;
      const bool idle = stream_ready(n) <= *each.launch;
      const Seconds late = each.begin - (idle ? *each.launch : stream_ready(n));
      if (late >= Seconds(0) && late <= (idle ? kSlack : kAtOnce)) (idle ? latencies : gaps).push_back(late);
    }
    graph_.gap = median_or(std::move(gaps), Seconds(0));
    graph_.latency = median_or(std::move(latencies), Seconds(0));
  }

  // Remembers the newest earlier node on each other stream.
  void find_producers() {
    std::vector<std::optional<std::size_t>> newest(graph_.streams);
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      RecordedNode& node = graph_.nodes[n];
      if (span(n).collective) add_caller(node, n, newest);
      add_explanation(node, n, newest);
      newest[node.stream] = n;
    }
  }

  // A collective's caller is the stream on which kernels ran that were launched last.
  void add_caller(RecordedNode& node, std::size_t n, const std::vector<std::optional<std::size_t>>& newest) {
    std::optional<std::size_t> caller;
    for (std::size_t s = 0; s < newest.size(); ++s) {
      if (s == node.stream || !newest[s] || span(*newest[s]).kind != RecordedKind::compute) continue;
      if (!caller || *newest[s] > *caller) caller = newest[s];
    }
    if (caller && span(*caller).end() <= span(n).begin) node.producers.push_back(*caller);
  }

  // Finds why a node begins later than its stream and its launch would let it.
  void add_explanation(RecordedNode& node, std::size_t n, const std::vector<std::optional<std::size_t>>& newest) {
    const RecordedSpan& each = span(n);
    Seconds ready = stream_ready(n) + graph_.gap;
    if (each.launch) ready = max(ready, *each.launch + graph_.latency);
    for (const std::size_t p : node.producers) ready = max(ready, span(p).end());
    const auto explains = [&](Seconds end) { return end > ready && end <= each.begin && each.begin - end <= kAtOnce; };
    std::optional<std::size_t> cause;
    for (std::optional<std::size_t> other : newest) {
      while (other && graph_.nodes[*other].stream != node.stream && span(*other).end() > each.begin)
        other = before_[*other];
      if (!other || graph_.nodes[*other].stream == node.stream || !explains(span(*other).end())) continue;
      if (!cause || span(*cause).end() < span(*other).end()) cause = other;
    }
    if (cause) {
      node.producers.push_back(*cause);
      ready = span(*cause).end();
    }
    for (const auto& [stream, end] : ends_before_) {
      const auto known = streams_.find(stream);
      if (known == streams_.end() || known->second == node.stream || !explains(end)) continue;
      node.behind = known->second;
      ready = end;
    }
    if (each.begin - ready > kSlack) node.unexplained = each.begin - ready;
  }

  void find_host_work() {
    std::vector<Seconds> calls;
    for (const std::size_t s : order_)
      if (trace_.spans[s].launch) calls.push_back(trace_.spans[s].call);
    const Seconds usual = median_or(std::move(calls), Seconds(0));
    Seconds now = step_.begin, waited;  // of the launch before: when it was, and what of its call was no work
    std::optional<std::size_t> awaited;
    const auto work_until = [&](Seconds moment) {
      const Seconds since = awaited ? span(*awaited).end() : now + waited;
      return max(Seconds(0), moment - since);
    };
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      const RecordedSpan& each = span(n);
      if (!each.launch) continue;
      graph_.nodes[n].host = work_until(*each.launch);
      graph_.nodes[n].awaited = awaited;
      now = *each.launch;
      waited = Seconds(0);
      awaited.reset();
      if (each.call <= kLongCall * usual) continue;
      if (each.kind == RecordedKind::copy && each.end() <= now + each.call)
        awaited = n;
      else
        waited = each.call - usual;
    }
    graph_.host_rest = work_until(step_.begin + step_.window);
    graph_.awaited_first = awaited;
  }

  const RankTrace& trace_;
  const RecordedStep& step_;
  std::vector<std::size_t> order_;
  std::map<std::int64_t, std::size_t> streams_;
  std::map<std::int64_t, Seconds> ends_before_;     // of the step before, by stream
  std::vector<std::optional<std::size_t>> last_;    // by stream
  std::vector<std::optional<std::size_t>> before_;  // by node, on its stream
  RecordedGraph graph_;
};

}  // namespace

RecordedGraph recorded_graph(const RankTrace& trace, std::size_t step) { return GraphBuilder(trace, step).take(); }

}  // namespace mlsim::replay
