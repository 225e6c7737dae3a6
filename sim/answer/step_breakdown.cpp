#include "sim/answer/step_breakdown.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/plan/sample_skew.hpp"

namespace mlsim::sim {
namespace {

using Spans = std::vector<std::pair<double, double>>;

// Gives the disjoint, sorted union of intervals.
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

// A `Remaining` has the moments of a step that no part has taken yet. Lengths are added up piece by piece, so that what
// is taken whole is taken to the last digit.
class Remaining {
 public:
  explicit Remaining(Seconds time) : free_{{0, time.value}} {}

  Seconds take(Spans spans) {
    const Spans wanted = merged(std::move(spans));
    Spans taken, left;
    auto first = wanted.begin();
    for (auto [begin, end] : free_) {
      while (first != wanted.end() && first->second <= begin) ++first;
      for (auto next = first; next != wanted.end() && next->first < end; ++next) {
        if (begin < next->first) left.emplace_back(begin, next->first);
        taken.emplace_back(std::max(begin, next->first), std::min(end, next->second));
        begin = taken.back().second;
      }
      if (begin < end) left.emplace_back(begin, end);
    }
    free_ = std::move(left);
    return Seconds(length(taken));
  }
  Seconds rest() const { return Seconds(length(free_)); }

 private:
  Spans free_;
};

// These spans are those of one class of ranks.
struct SpansByPart {
  Spans passes, optimizer, input, exchange, cycles, all_to_all;
  Seconds kernels;  // of the passes
};

SpansByPart spans_by_part(const Timeline& timeline, std::uint32_t rank_class) {
  SpansByPart parts;
  for (const Span& span : timeline.spans) {
    if (span.rank_class != rank_class) continue;
    const std::pair<double, double> interval{span.begin.value, span.end.value};
    if (span.collective == CollectiveKind::all_to_all) parts.all_to_all.push_back(interval);
    if (span.stream == Stream::communication || span.stream == Stream::exchange) {
      parts.exchange.push_back(interval);
      continue;
    }
    switch (span.part) {
      case StepPart::input: parts.input.push_back(interval); break;
      case StepPart::optimizer: parts.optimizer.push_back(interval); break;
      case StepPart::gradient_exchange: parts.cycles.push_back(interval); break;  // a wait, for Horovod's next cycle
      case StepPart::forward:
      case StepPart::backward:
        parts.passes.push_back(interval);
        if (span.stream == Stream::compute) parts.kernels += span.end - span.begin;
    }
  }
  return parts;
}

}  // namespace

StepBreakdown step_breakdown(const StepOutcome& outcome, const Plan& plan, Seconds framework) {
  SpansByPart parts = spans_by_part(outcome.timeline, outcome.shown_class);
  StepBreakdown result;
  result.time = outcome.time;
  result.communication = Seconds(length(merged(parts.exchange)));
  result.all_to_all = Seconds(length(merged(std::move(parts.all_to_all))));
  Remaining remaining(outcome.time);
  result.compute = remaining.take(std::move(parts.passes));  // layers on the host run beside kernels
  result.optimizer = remaining.take(std::move(parts.optimizer));
  result.input_wait = remaining.take(std::move(parts.input));
  result.exposed_communication = remaining.take(std::move(parts.exchange));
  result.overhead = remaining.take(std::move(parts.cycles));
  // Every rank was given the time of the one with the longest samples.
  result.straggler_wait = parts.kernels - parts.kernels / sample_skew(plan.model.sample_spread.value, plan.step);
  result.compute -= result.straggler_wait;
  const Seconds of_framework = min(framework, result.input_wait);
  result.overhead += of_framework;
  result.input_wait -= of_framework;
  // What is left is the pipeline's bubble, or other ranks still exchange.
  const Seconds rest = remaining.rest();
  (plan.part.pipeline ? result.bubble : result.exposed_communication) += rest;
  if (!plan.part.pipeline) result.communication += rest;
  return result;
}

}  // namespace mlsim::sim
