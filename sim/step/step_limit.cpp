#include "sim/step/step_limit.hpp"

#include <fmt/format.h>

#include <map>

#include "core/text/errors.hpp"

namespace mlsim::sim {
namespace {

struct LongSpan {
  const Span* span = nullptr;
  Seconds time;
};

// Exchanges count from when the last rank has joined, all else as on the slowest ranks.
LongSpan longest_span(const Timeline& timeline) {
  std::map<std::size_t, LongSpan> by_vertex;
  for (const Span& span : timeline.spans) {
    LongSpan& known = by_vertex[span.vertex];
    const Seconds time = span.end - span.begin;
    if (known.span == nullptr || (span.collective ? time < known.time : time > known.time)) known = {&span, time};
  }
  LongSpan longest;
  for (const auto& [vertex, each] : by_vertex)
    if (longest.span == nullptr || each.time > longest.time) longest = each;
  return longest;
}

}  // namespace

void check_step_limit(Seconds time, const Timeline& timeline) {
  if (time <= kLongestStep) return;
  const LongSpan longest = longest_span(timeline);
  const std::string most = longest.span == nullptr ? ""
                                                   : fmt::format(", most of all for \"{}\" ({:.3g} s)",
                                                                 longest.span->name, longest.time.value);
  throw Infeasible(fmt::format("a step would take {:.3g} s{}; one of more than {:g} s (32 years) is no answer",
                               time.value, most, kLongestStep.value));
}

}  // namespace mlsim::sim
