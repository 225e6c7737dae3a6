#include "sim/collectives/levels.hpp"

#include <algorithm>

namespace mlsim::sim {

namespace {

Pattern scatter_pattern(Family family) {
  if (family == Family::line) return Pattern::line_reduce_scatter;
  return family == Family::halving ? Pattern::halving_reduce_scatter : Pattern::ring_reduce_scatter;
}

Pattern gather_pattern(Family family) {
  if (family == Family::line) return Pattern::line_all_gather;
  return family == Family::halving ? Pattern::doubling_all_gather : Pattern::ring_all_gather;
}

Pattern reduce_pattern(Family family) {
  if (family == Family::line) return Pattern::line_all_reduce;
  if (family == Family::tree) return Pattern::tree_all_reduce;
  return family == Family::halving ? Pattern::halving_doubling_all_reduce : Pattern::ring_all_reduce;
}

Phase phase_of(const std::string& what, Pattern pattern, const Level& level, const std::vector<Segment>& owned) {
  Phase phase{what + " " + level.name, {}};
  phase.groups.reserve(level.groups.size());
  for (const auto& ranks : level.groups) phase.groups.push_back({pattern, ranks, owned[ranks.front()], level.chunks});
  return phase;
}

void narrow(const Level& level, std::vector<Segment>& owned) {
  for (const auto& ranks : level.groups) {
    const Segment data = owned[ranks.front()];
    for (std::size_t p = 0; p < ranks.size(); ++p) owned[ranks[p]] = piece(data, p, ranks.size());
  }
}

}  // namespace

Lane level_lane(CollectiveKind kind, Segment data, int ranks, std::span<const Level> levels) {
  const bool all_reduce = kind == CollectiveKind::all_reduce;
  std::vector<Segment> owned(ranks, data);
  Lane lane;
  std::vector<Phase> back;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const Level& level = levels[l];
    if (all_reduce && l + 1 == levels.size()) {
      lane.phases.push_back(phase_of("all-reduce", reduce_pattern(level.family), level, owned));
      break;
    }
    if (kind != CollectiveKind::all_gather)
      lane.phases.push_back(phase_of("reduce-scatter", scatter_pattern(level.family), level, owned));
    if (kind != CollectiveKind::reduce_scatter)
      back.push_back(phase_of("all-gather", gather_pattern(level.family), level, owned));
    if (l + 1 < levels.size()) narrow(level, owned);
  }
  std::move(back.rbegin(), back.rend(), std::back_inserter(lane.phases));
  return lane;
}

Level reversed(const Level& level) {
  Level result = level;
  for (auto& ranks : result.groups) std::reverse(ranks.begin(), ranks.end());
  return result;
}

Level shifted_tree(const Level& level) {
  Level result = level;
  for (auto& ranks : result.groups) {
    // Mirroring swaps odd and even positions where their number is even, shifting by one does where it is odd.
    if (ranks.size() % 2 == 0)
      std::reverse(ranks.begin(), ranks.end());
    else
      std::rotate(ranks.begin(), ranks.begin() + 1, ranks.end());
  }
  return result;
}

}  // namespace mlsim::sim
