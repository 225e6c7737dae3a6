#include "replay/trace/recorded_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
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

// Returns the places of the collectives whose groups have one name on all ranks; all of them where none is so.
std::vector<std::size_t> shared_places(const std::vector<Sequence>& sequences) {
  std::vector<std::size_t> shared, all;
  for (std::size_t c = 0; c < sequences.front().size(); ++c) {
    all.push_back(c);
    const std::string& group = sequences.front()[c]->collective->group;
    if (std::all_of(sequences.begin(), sequences.end(),
                    [&](const Sequence& s) { return s[c]->collective->group == group; }))
      shared.push_back(c);
  }
  return shared.empty() ? all : shared;
}

Seconds median(std::vector<Seconds> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

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

// The first step's begin is the host's, and steps without work say nothing: neither is taken where there are others.
std::size_t median_step(const std::vector<RecordedStep>& steps, const std::vector<StepSums>& sums) {
  std::vector<std::size_t> order(steps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto leave_out = [&](const auto& is_poor) {
    if (!std::all_of(order.begin(), order.end(), is_poor))
      order.erase(std::remove_if(order.begin(), order.end(), is_poor), order.end());
  };
  leave_out([&](std::size_t step) { return sums[step].busy == Seconds(0); });
  leave_out([](std::size_t step) { return step == 0; });
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return steps[a].time < steps[b].time; });
  return order[(order.size() - 1) / 2];
}

// Work of two steps may run at once, so that a step's parts last longer than it took.
void warn_of_long_parts(RecordedRank& rank) {
  constexpr double kRounding = 1e-3;
  std::size_t long_ones = 0;
  for (std::size_t i = 0; i < rank.sums.size(); ++i)
    if (rank.sums[i].busy > rank.trace.steps[i].time * (1 + kRounding)) ++long_ones;
  if (long_ones == 0) return;
  rank.trace.warnings.push_back(
      fmt::format("of {} of {} steps the parts are longer than the step: work of two steps ran at once", long_ones,
                  rank.trace.steps.size()));
}

}  // namespace

std::optional<CollectiveAlignment> aligned_collectives(const std::vector<RankTrace>& traces) {
  if (traces.size() < 2) return {};
  std::vector<Sequence> sequences;
  for (const RankTrace& trace : traces) sequences.push_back(sequence_of(trace));
  for (const Sequence& each : sequences)
    if (each.empty() || !alike(sequences.front(), each)) return {};
  CollectiveAlignment all;
  const std::vector<std::size_t> shared = shared_places(sequences);
  for (std::size_t r = 0; r < traces.size(); ++r) {
    std::vector<Seconds> apart;
    for (const std::size_t c : shared) apart.push_back(sequences[0][c]->end() - sequences[r][c]->end());
    all.offsets.push_back(median(std::move(apart)));
  }
  std::vector<Seconds> spreads;
  for (const std::size_t c : shared) {
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
    rank.typical_step = median_step(rank.trace.steps, rank.sums);
    warn_of_long_parts(rank);
    run.ranks.push_back(std::move(rank));
  }
  return run;
}

std::vector<std::string> run_warnings(const RecordedRun& run) {
  std::map<std::string, std::size_t> counts;
  std::vector<std::string> all;
  for (const RecordedRank& rank : run.ranks)
    for (const std::string& warning : rank.trace.warnings)
      if (++counts[warning] == 1) all.push_back(warning);
  for (std::string& warning : all)
    if (const std::size_t count = counts[warning]; count < run.ranks.size())
      warning += fmt::format(" ({} of {} ranks)", count, run.ranks.size());
  return all;
}

}  // namespace mlsim::replay
