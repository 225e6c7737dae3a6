#include "sim/collectives/schedule.hpp"

#include <algorithm>

#include "sim/collectives/pattern.hpp"

namespace mlsim::sim {

PatternShape shape_of(const PhaseGroup& group) {
  return {static_cast<int>(group.ranks.size()), group.data, std::max(1, group.chunks)};
}

Segment piece(Segment range, std::uint64_t i, std::uint64_t n) {
  const std::uint64_t whole = range.size() / n, rest = range.size() % n;
  const std::uint64_t begin = range.begin + i * whole + std::min(i, rest);
  return {begin, begin + whole + (i < rest ? 1 : 0)};
}

Segment pieces(Segment range, int first, int last, int n) {
  const auto count = static_cast<std::uint64_t>(n);
  return {piece(range, static_cast<std::uint64_t>(first), count).begin,
          piece(range, static_cast<std::uint64_t>(last - 1), count).end};
}

void add_send(std::vector<Send>& out, int from, int to, Segment data, bool reduce) {
  if (data.size() > 0) out.push_back({from, to, data, reduce});
}

PatternRules pattern_rules(Pattern pattern) {
  switch (pattern) {
    case Pattern::ring_reduce_scatter:
    case Pattern::ring_all_gather:
    case Pattern::ring_all_reduce: return ring_rules(pattern);
    case Pattern::line_reduce_scatter:
    case Pattern::line_all_gather:
    case Pattern::line_all_reduce: return line_rules(pattern);
    case Pattern::halving_reduce_scatter:
    case Pattern::doubling_all_gather:
    case Pattern::halving_doubling_all_reduce: return halving_rules(pattern);
    case Pattern::tree_all_reduce:
    case Pattern::tree_broadcast: return tree_rules(pattern);
    case Pattern::chain_broadcast:
    case Pattern::pairwise_all_to_all:
    case Pattern::neighbour_exchange:
    case Pattern::point_to_point: break;
  }
  return direct_rules(pattern);
}

int round_count(const PhaseGroup& group) {
  return group.ranks.size() < 2 ? 0 : pattern_rules(group.pattern).rounds(shape_of(group));
}

std::vector<Send> position_sends(const PhaseGroup& group, int position, int round) {
  std::vector<Send> sends;
  if (group.ranks.size() < 2) return sends;
  pattern_rules(group.pattern).sends(shape_of(group), position, round, sends);
  return sends;
}

std::vector<Send> position_receives(const PhaseGroup& group, int position, int round) {
  std::vector<Send> sends;
  if (group.ranks.size() < 2) return sends;
  const PatternShape shape = shape_of(group);
  const PatternRules rules = pattern_rules(group.pattern);
  std::vector<int> sources;
  rules.sources(shape, position, round, sources);
  for (const int source : sources) rules.sends(shape, source, round, sends);
  std::erase_if(sends, [position](const Send& send) { return send.to != position; });
  return sends;
}

int stage_count(const PhaseGroup& group) {
  return group.ranks.size() < 2 ? 0 : pattern_rules(group.pattern).stages(shape_of(group));
}

std::vector<NeighbourFlow> stage_flows(const PhaseGroup& group, int stage) {
  std::vector<NeighbourFlow> flows;
  if (group.ranks.size() < 2) return flows;
  pattern_rules(group.pattern).flows(shape_of(group), stage, flows);
  return flows;
}

std::vector<std::vector<GroupPlace>> group_places(const Lane& lane, std::size_t ranks) {
  std::vector<std::vector<GroupPlace>> places;
  for (const Phase& phase : lane.phases) {
    places.emplace_back(ranks);
    for (std::uint32_t g = 0; g < phase.groups.size(); ++g)
      for (std::size_t p = 0; p < phase.groups[g].ranks.size(); ++p)
        places.back()[phase.groups[g].ranks[p]] = {g, static_cast<int>(p)};
  }
  return places;
}

}  // namespace mlsim::sim
