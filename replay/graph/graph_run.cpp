#include "replay/graph/graph_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text/errors.hpp"

namespace mlsim::replay {
namespace {

// Messages between two ranks are not matched: each keeps its own time.
bool is_shared(const RecordedSpan& span) {
  return span.collective && span.collective->kind != CollectiveKind::send_receive;
}

// A RankWalk is one rank's graph on its way through the steps.
class RankWalk {
 public:
  explicit RankWalk(const GraphedRank& rank)
      : rank_(rank),
        begin_(rank.begin),
        host_(rank.begin),
        stream_end_(rank.graph->streams, rank.begin),
        ends_before_(stream_end_),
        begins_(rank.graph->nodes.size()),
        ends_(rank.graph->nodes.size()) {}

  int rank() const { return rank_.rank; }
  bool at_end() const { return next_ == nodes().size(); }
  const RecordedSpan& span() const { return rank_.trace->spans[nodes()[next_].span]; }
  /// Returns when the next node's own rank lets it begin.
  Seconds ready() const {
    const RecordedNode& node = nodes()[next_];
    Seconds moment = stream_end_[node.stream] + (used_ ? rank_.graph->gap : Seconds(0));
    if (node.host) moment = max(moment, launch() + rank_.graph->latency);
    for (const std::size_t producer : node.producers) moment = max(moment, ends_[producer]);
    if (node.behind) moment = max(moment, ends_before_[*node.behind]);
    return moment + node.unexplained;
  }
  void run(Seconds begin, Seconds time) {
    const RecordedNode& node = nodes()[next_];
    if (node.host) host_ = launch();
    begins_[next_] = begin;
    ends_[next_] = stream_end_[node.stream] = begin + time;
    end_ = max(end_, ends_[next_]);
    used_ = true;
    ++next_;
  }
  void end_step() {
    if (rank_.graph->awaited_first) host_ = max(host_, ends_[*rank_.graph->awaited_first]);
    host_ += rank_.graph->host_rest;
    before_ = std::exchange(last_, max(host_, end_));
  }
  void begin_step() {
    begin_ = host_;
    next_ = 0;
    ends_before_ = stream_end_;
  }

  /// Returns the step that ended last as a RankTrace.
  RankTrace step(bool alone) const {
    RankTrace out = *rank_.trace;
    const RecordedStep& recorded = rank_.trace->steps[rank_.trace->spans[nodes().front().span].step];
    const Seconds time = last_ - (alone ? begin_ : before_);
    out.steps = {{recorded.number, begin_, time, time}};
    out.spans.clear();
    for (std::size_t n = 0; n < nodes().size(); ++n) {
      RecordedSpan span = rank_.trace->spans[nodes()[n].span];
      span.begin = begins_[n];
      span.duration = ends_[n] - begins_[n];
      span.launch.reset();
      span.step = 0;
      out.spans.push_back(std::move(span));
    }
    std::sort(out.spans.begin(), out.spans.end(),
              [](const auto& a, const auto& b) { return std::pair(a.begin, a.stream) < std::pair(b.begin, b.stream); });
    return out;
  }

 private:
  const std::vector<RecordedNode>& nodes() const { return rank_.graph->nodes; }
  Seconds launch() const {
    const RecordedNode& node = nodes()[next_];
    return (node.awaited ? max(host_, ends_[*node.awaited]) : host_) + *node.host;
  }

  const GraphedRank& rank_;
  std::size_t next_ = 0;
  bool used_ = false;
  Seconds begin_, host_, end_, last_, before_;
  std::vector<Seconds> stream_end_, ends_before_;  // by stream, in this step and in the one before
  std::vector<Seconds> begins_, ends_;             // by node
};

class GraphsRun {
 public:
  GraphsRun(const std::vector<GraphedRank>& ranks, const RankGroups& groups, const SpanTime& time)
      : ranks_(ranks), groups_(groups), time_(time), walks_(ranks.begin(), ranks.end()) {}

  void step() {
    while (!all_at_end()) {
      for (std::size_t r = 0; r < walks_.size(); ++r) advance(r);
      bool met = all_at_end();
      for (std::size_t r = 0; r < walks_.size(); ++r) met = meet(r) || met;
      if (!met) refuse();
    }
    for (RankWalk& walk : walks_) walk.end_step();
  }
  std::vector<RankWalk>& walks() { return walks_; }

 private:
  bool all_at_end() const {
    return std::all_of(walks_.begin(), walks_.end(), [](const RankWalk& walk) { return walk.at_end(); });
  }
  // Walks a rank to its next collective.
  void advance(std::size_t r) {
    RankWalk& walk = walks_[r];
    while (!walk.at_end() && !is_shared(walk.span())) walk.run(walk.ready(), time_(r, walk.span()));
  }
  // Returns the ranks of the collective that are run: one rank may stand for all.
  std::vector<std::size_t> mates(std::size_t r) const {
    const std::vector<int> members = groups_.members(walks_[r].rank(), walks_[r].span().collective->group_size);
    std::vector<std::size_t> found;
    for (std::size_t other = 0; other < walks_.size(); ++other)
      if (other == r || std::find(members.begin(), members.end(), walks_[other].rank()) != members.end())
        found.push_back(other);
    return found;
  }
  // Begins the collective at which the rank stands; returns false where not all of its ranks stand there.
  bool meet(std::size_t r) {
    if (walks_[r].at_end() || !is_shared(walks_[r].span())) return false;
    const std::vector<std::size_t> all = mates(r);
    Seconds begin, time;
    for (const std::size_t mate : all) {
      if (walks_[mate].at_end() || !is_shared(walks_[mate].span())) return false;
      const RecordedCollective &own = *walks_[r].span().collective, &theirs = *walks_[mate].span().collective;
      if (theirs.kind != own.kind || groups_.group_size(theirs.group_size) != groups_.group_size(own.group_size))
        return false;
      begin = max(begin, walks_[mate].ready());
      time = max(time, time_(mate, walks_[mate].span()));
    }
    // A rank that came before waits in the collective, as a recorded one does.
    for (const std::size_t mate : all) {
      const Seconds own = walks_[mate].ready();
      walks_[mate].run(own, begin + time - own);
    }
    return true;
  }
  [[noreturn]] void refuse() const {
    std::string where;
    for (std::size_t r = 0; r < walks_.size() && r < 4; ++r)
      where += fmt::format(
          "{}rank {} {}", r == 0 ? "" : ", ", walks_[r].rank(),
          walks_[r].at_end() ? "has none left" : "stands at " + std::string(name(walks_[r].span().collective->kind)));
    throw InputError(ranks_.front().trace->file, "the ranks wait for each other in different collectives: " + where);
  }

  const std::vector<GraphedRank>& ranks_;
  const RankGroups& groups_;
  const SpanTime& time_;
  std::vector<RankWalk> walks_;
};

}  // namespace

RankGroups::RankGroups(int ranks, int node, std::set<int> sizes)
    : ranks_(ranks), node_(node), sizes_(std::move(sizes)) {}

int RankGroups::group_size(int size) const { return size <= 0 || size > ranks_ || ranks_ % size != 0 ? ranks_ : size; }

bool RankGroups::across(int size) const {
  const int other = ranks_ / size;
  return other > 1 && sizes_.count(other) > 0 && (node_ > 0 ? other == node_ : other > size);
}

std::vector<int> RankGroups::members(int rank, int size) const {
  const int count = group_size(size), groups = ranks_ / count;
  std::vector<int> members;
  for (int i = 0; i < count; ++i)
    members.push_back(across(count) ? i * groups + rank % groups : rank / count * count + i);
  return members;
}

std::vector<std::vector<int>> RankGroups::all(int size) const {
  std::set<std::vector<int>> groups;
  for (int rank = 0; rank < ranks_; ++rank) groups.insert(members(rank, size));
  return {groups.begin(), groups.end()};
}

int job_ranks(const RecordedRun& run) {
  int ranks = static_cast<int>(run.ranks.size());
  for (const RecordedRank& rank : run.ranks) {
    if (rank.trace.world_size) return std::max(*rank.trace.world_size, ranks);
    for (const CollectiveTimes& each : rank.collectives) ranks = std::max(ranks, each.collective.group_size);
  }
  return ranks;
}

std::set<int> group_sizes(const RecordedRun& run) {
  std::set<int> sizes;
  for (const RecordedRank& rank : run.ranks)
    for (const CollectiveTimes& each : rank.collectives)
      if (each.collective.group_size > 1) sizes.insert(each.collective.group_size);
  return sizes;
}

std::vector<RankTrace> run_graphs(const std::vector<GraphedRank>& ranks, const RankGroups& groups, const SpanTime& time,
                                  int repeats) {
  GraphsRun run(ranks, groups, time);
  for (int i = 0; i < repeats; ++i) {
    if (i > 0)
      for (RankWalk& walk : run.walks()) walk.begin_step();
    run.step();
  }
  std::vector<RankTrace> steps;
  for (const RankWalk& walk : run.walks()) steps.push_back(walk.step(repeats == 1));
  return steps;
}

}  // namespace mlsim::replay
