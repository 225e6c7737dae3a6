#include "replay/trace/collective_alignment.hpp"

#include <algorithm>
#include <utility>

namespace mlsim::replay {
namespace {

using Sequence = std::vector<const RecordedSpan*>;

// Point-to-point messages belong to two ranks alone.
Sequence sequence_of(const RankTrace& trace) {
  Sequence spans;
  for (const RecordedSpan& span : trace.spans)
    if (span.collective && span.collective->kind != CollectiveKind::send_receive) spans.push_back(&span);
  return spans;
}

// Payloads of all-to-alls differ between ranks.
bool alike(const Sequence& a, const Sequence& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const RecordedSpan* x, const RecordedSpan* y) {
    return x->collective->kind == y->collective->kind && x->step == y->step;
  });
}

Seconds median(std::vector<Seconds> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::optional<CollectiveAlignment> aligned_collectives(const std::vector<RankTrace>& traces) {
  if (traces.size() < 2) return {};
  std::vector<Sequence> sequences;
  for (const RankTrace& trace : traces) sequences.push_back(sequence_of(trace));
  for (const Sequence& each : sequences)
    if (each.empty() || !alike(sequences.front(), each)) return {};
  CollectiveAlignment all;
  const std::size_t count = sequences.front().size();
  for (std::size_t r = 0; r < traces.size(); ++r) {
    std::vector<Seconds> apart;
    for (std::size_t c = 0; c < count; ++c) apart.push_back(sequences[0][c]->end() - sequences[r][c]->end());
    all.offsets.push_back(median(std::move(apart)));
  }
  std::vector<Seconds> spreads;
  for (std::size_t c = 0; c < count; ++c) {
    AlignedCollective each{*sequences[0][c]->collective, sequences[0][c]->step, {}, {}, 0};
    Seconds first_begin = sequences[0][c]->begin, last_begin = first_begin;
    Seconds first_end = sequences[0][c]->end(), last_end = first_end;
    each.last_rank = traces.front().rank.value_or(0);
    for (std::size_t r = 1; r < traces.size(); ++r) {
      const Seconds begin = sequences[r][c]->begin + all.offsets[r], end = sequences[r][c]->end() + all.offsets[r];
      if (begin > last_begin) each.last_rank = traces[r].rank.value_or(static_cast<int>(r));
      first_begin = std::min(first_begin, begin);
      last_begin = std::max(last_begin, begin);
      first_end = std::min(first_end, end);
      last_end = std::max(last_end, end);
    }
    each.time = last_end - last_begin;
    each.waited = last_begin - first_begin;
    spreads.push_back(last_end - first_end);
    all.collectives.push_back(std::move(each));
  }
  all.disagreement = median(std::move(spreads));
  return all;
}

}  // namespace mlsim::replay
