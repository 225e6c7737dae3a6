#include "replay/graph/rank_groups.hpp"

#include <algorithm>
#include <utility>

namespace mlsim::replay {

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

}  // namespace mlsim::replay
