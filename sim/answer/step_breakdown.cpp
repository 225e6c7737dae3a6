#include "sim/answer/step_breakdown.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/plan/sample_skew.hpp"

namespace mlsim::sim {
namespace {

using Spans = std::vector<std::pair<double, double>>;

// Disjoint, sorted union of intervals.
Spans merged(Spans spans) {
  std::sort(spans.begin(), spans.end());
  Spans result;
  for (const auto& [begin, end] : spans) {
    if (end <= begin) continue;
    if (!result.empty() && begin <= result.back().second) {
      result.back().second = std::max(result.back().second, end);
    } else {
      result.emplace_back(begin, end);
    }
  }
  return result;
}

double length(const Spans& spans) {
  double total = 0;
  for (const auto& [begin, end] : spans) total += end - begin;
  return total;
}

double overlap(const Spans& a, const Spans& b) {
  double total = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    total += std::max(0.0, std::min(a[i].second, b[j].second) - std::max(a[i].first, b[j].first));
    (a[i].second < b[j].second ? i : j) += 1;
  }
  return total;
}

// Seconds that each class computes.
std::vector<double> busy_times(const Timeline& timeline) {
  std::vector<double> busy(timeline.class_size.size());
  for (const auto& span : timeline.spans) {
    if (span.stream == Stream::compute) busy[span.rank_class] += (span.end - span.begin).value;
  }
  return busy;
}

// Of equally common ones that which waits most for the others.
std::uint32_t most_common_class(const Timeline& timeline) {
  const auto& sizes = timeline.class_size;
  const std::vector<double> busy = busy_times(timeline);
  std::uint32_t best = 0;
  for (std::uint32_t c = 1; c < sizes.size(); ++c)
    if (sizes[c] > sizes[best] || (sizes[c] == sizes[best] && busy[c] < busy[best])) best = c;
  return best;
}

// The stage of a pipeline with the most to compute, which the others wait for.
std::uint32_t busiest_class(const Timeline& timeline) {
  const std::vector<double> busy = busy_times(timeline);
  return static_cast<std::uint32_t>(std::max_element(busy.begin(), busy.end()) - busy.begin());
}

}  // namespace

StepBreakdown step_breakdown(const StepOutcome& outcome, const Plan& plan, Seconds framework, Seconds nominal) {
  const std::uint32_t common =
      plan.part.pipeline ? busiest_class(outcome.timeline) : most_common_class(outcome.timeline);
  Spans busy, communication, passes, all_to_all;
  StepBreakdown result;
  for (const auto& span : outcome.timeline.spans) {
    if (span.rank_class != common) continue;
    const std::pair<double, double> interval{span.begin.value, span.end.value};
    const bool sent = span.stream == Stream::communication || span.stream == Stream::exchange;
    if (!sent && span.part == StepPart::gradient_exchange) continue;  // a wait, for Horovod's next cycle
    (sent ? communication : busy).push_back(interval);
    if (span.collective == CollectiveKind::all_to_all) all_to_all.push_back(interval);
    const Seconds time = span.end - span.begin;
    if (span.part == StepPart::input) result.input_wait += time;
    if (span.part == StepPart::optimizer && span.stream == Stream::compute) result.optimizer += time;
    if (sent || (span.part != StepPart::forward && span.part != StepPart::backward)) continue;
    passes.push_back(interval);
    if (span.stream == Stream::compute) result.compute += time;
  }
  // Every rank was given the time of the one with the longest samples; layers on the host run beside kernels.
  const Seconds mean_compute = result.compute / sample_skew(plan.model.sample_spread.value, plan.step);
  result.straggler_wait = result.compute - mean_compute;
  result.compute = max(mean_compute, Seconds(length(merged(passes))) - result.straggler_wait);
  result.overhead = min(framework, result.input_wait);
  result.input_wait -= result.overhead;
  const Spans sent = merged(communication);
  result.time = outcome.time;
  result.communication = Seconds(length(sent));
  result.all_to_all = Seconds(length(merged(all_to_all)));
  const Spans worked = merged(busy);
  result.exposed_communication = Seconds(length(sent) - overlap(sent, worked));
  Seconds idle = max(Seconds(0), outcome.time - Seconds(length(worked)) - result.exposed_communication);
  if (!plan.cluster->rank_speed.empty()) {
    // Slow ranks are waited for where nothing runs and in exchanges that begin too early.
    const Seconds late = max(Seconds(0), outcome.time - nominal);
    const Seconds before = min(late, idle), within = min(late - before, result.exposed_communication);
    idle -= before;
    result.straggler_wait += before + within;
    result.exposed_communication -= within;
    result.communication -= within;
  }
  // The rest of the bubble, or what Horovod's cycles leave between gradients and their exchange.
  (plan.part.pipeline ? result.bubble : result.overhead) += idle;
  return result;
}

}  // namespace mlsim::sim
