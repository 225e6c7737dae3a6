#include "replay/graph/replayed_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text/errors.hpp"

namespace mlsim::replay {
namespace {

// So many steps make the first one's idle accelerator and host forgotten.
constexpr int kRepeats = 4;

int rank_of(const RecordedRun& run, std::size_t place) {
  return run.ranks[place].trace.rank.value_or(static_cast<int>(place));
}

// Returns the places of the collectives that several ranks begin together.
std::vector<std::size_t> shared_collectives(const RankTrace& trace, std::size_t step) {
  std::vector<std::size_t> spans;
  for (std::size_t s = 0; s < trace.spans.size(); ++s) {
    const RecordedSpan& span = trace.spans[s];
    if (span.step == step && span.collective && span.collective->kind != CollectiveKind::send_receive)
      spans.push_back(s);
  }
  return spans;
}

Seconds least_of_its_like(const RecordedRank& rank, const RecordedSpan& span) {
  for (const CollectiveTimes& each : rank.collectives)
    if (each.collective == *span.collective) return min(each.least(), span.duration);
  return span.duration;
}

}  // namespace

Replay::Replay(const RecordedRun& run, int node)
    : run_(run), step_(run.ranks.front().typical_step), groups_(job_ranks(run), node, group_sizes(run)) {
  if (run.ranks.size() > 1 && !run.alignment)
    throw InputError(run.ranks.front().trace.file,
                     "the ranks did not record the same collectives in the same order, so none of them can be shared");
  for (std::size_t r = 0; r < run.ranks.size(); ++r) {
    const RankTrace& trace = run.ranks[r].trace;
    if (step_ >= trace.steps.size())
      throw InputError(trace.file, fmt::format("has {} steps, and the one to be replayed is the {}.",
                                               trace.steps.size(), step_ + 1));
    graphs_.push_back(recorded_graph(trace, step_));
    if (graphs_.back().nodes.empty()) throw InputError(trace.file, "its typical step has no work of the accelerator");
    begins_.push_back(trace.steps[step_].begin + (run.alignment ? run.alignment->offsets[r] : Seconds(0)));
  }
  const Seconds first = *std::min_element(begins_.begin(), begins_.end());
  for (Seconds& begin : begins_) begin -= first;
  find_times();
}

void Replay::find_times() {
  std::vector<std::vector<std::size_t>> shared;
  for (const RecordedRank& rank : run_.ranks) {
    shared.push_back(shared_collectives(rank.trace, step_));
    times_.emplace_back(rank.trace.spans.size());
  }
  for (std::size_t r = 0; r < run_.ranks.size(); ++r) {
    const RankTrace& trace = run_.ranks[r].trace;
    for (std::size_t c = 0; c < shared[r].size(); ++c) {
      const RecordedSpan& span = trace.spans[shared[r][c]];
      RecordedTime& time = times_[r][shared[r][c]];
      if (run_.ranks.size() == 1) {
        time.of_itself = least_of_its_like(run_.ranks[r], span);
        time.waiting = span.duration - time.of_itself;
        continue;
      }
      const std::vector<int> members = groups_.members(rank_of(run_, r), span.collective->group_size);
      std::size_t recorded = 0;
      std::optional<Seconds> begin, end;
      for (std::size_t m = 0; m < run_.ranks.size(); ++m) {
        if (std::find(members.begin(), members.end(), rank_of(run_, m)) == members.end()) continue;
        ++recorded;
        const RecordedSpan& mate = run_.ranks[m].trace.spans[shared[m][c]];
        const Seconds offset = run_.alignment->offsets[m];
        begin = max(begin.value_or(mate.begin + offset), mate.begin + offset);
        end = max(end.value_or(mate.end() + offset), mate.end() + offset);
      }
      const Seconds together = max(Seconds(0), *end - *begin);
      time.of_itself = recorded < members.size() ? min(together, least_of_its_like(run_.ranks[r], span)) : together;
      time.waiting = together - time.of_itself;
    }
  }
}

Seconds Replay::recorded_step(std::size_t rank) const {
  const RankTrace& trace = run_.ranks[rank].trace;
  const RecordedStep& step = trace.steps[step_];
  if (run_.ranks.size() == 1 || trace.steps.size() > 1) return step.time;
  Seconds end = step.begin + step.window;
  for (const RecordedSpan& span : trace.spans) end = max(end, span.end());
  return end - step.begin;
}

Seconds Replay::unexplained(std::size_t rank) const {
  Seconds sum;
  for (const RecordedNode& node : graphs_[rank].nodes) sum += node.unexplained;
  return sum;
}

RecordedTime Replay::recorded_time(std::size_t rank, const RecordedSpan& span) const {
  return times_[rank][static_cast<std::size_t>(&span - run_.ranks[rank].trace.spans.data())];
}

// A slow rank that is not recorded does what the first does.
std::vector<GraphedRank> Replay::ranks_with(const ReplayChange& change) const {
  std::vector<GraphedRank> ranks;
  std::map<int, double> left = change.slowdowns;
  for (std::size_t r = 0; r < run_.ranks.size(); ++r) {
    ranks.push_back({&run_.ranks[r].trace, &graphs_[r], rank_of(run_, r), begins_[r]});
    left.erase(ranks.back().rank);
  }
  const GraphedRank first = ranks.front();
  for (const auto& [rank, slowdown] : left) ranks.push_back({first.trace, first.graph, rank, first.begin});
  return ranks;
}

RecordedRun Replay::replayed(const ReplayChange& change) const {
  const std::vector<GraphedRank> ranks = ranks_with(change);
  const auto time = [&](std::size_t r, const RecordedSpan& span) {
    const std::size_t recorded = r < run_.ranks.size() ? r : 0;
    if (span.collective && span.collective->kind != CollectiveKind::send_receive) {
      const RecordedTime known = recorded_time(recorded, span);
      const auto other = change.collective ? change.collective(*span.collective) : std::optional<Seconds>();
      return other.value_or(known.of_itself) + known.waiting;
    }
    if (span.kind != RecordedKind::compute) return span.duration;
    const auto slow = change.slowdowns.find(ranks[r].rank);
    return span.duration * (change.compute * (slow == change.slowdowns.end() ? 1 : slow->second));
  };
  const bool alone = run_.ranks.front().trace.steps.size() == 1 && run_.ranks.size() > 1;
  std::vector<RankTrace> steps = run_graphs(ranks, groups_, time, alone ? 1 : kRepeats);
  steps.resize(run_.ranks.size());
  return recorded_run(std::move(steps));
}

}  // namespace mlsim::replay
