#include "calibrate/import/benchmark_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/text/errors.hpp"

namespace mlsim::calibrate {
namespace {

BenchmarkLayout checked(BenchmarkLayout layout, const std::string& place) {
  if (layout.ranks() < 2) throw InputError(place, "was run on one rank, which exchanges nothing");
  return layout;
}

BenchmarkLayout told_by(const ImportHints& hints, const std::string& place) {
  if (hints.nodes == 0 || hints.ranks_per_node == 0)
    throw InputError(place, "does not list its ranks; say nodes=N,ranks_per_node=M after a colon behind the file");
  return {hints.nodes, hints.ranks_per_node};
}

BenchmarkLayout listed_layout(const std::vector<ListedRank>& listed, int ranks_each, const std::string& place) {
  std::set<int> seen;
  std::map<std::string, int> on_host;
  for (const auto& rank : listed) {
    if (rank.group != listed.front().group)
      throw InputError(place, fmt::format("was run in several groups at once ({} and {}); import runs of one group",
                                          listed.front().group, rank.group));
    if (!seen.insert(rank.rank).second)
      throw InputError(place, fmt::format("lists rank {} twice: nccl-tests was built without MPI=1, or a log holds two "
                                          "runs at once",
                                          rank.rank));
    on_host[rank.host] += ranks_each;
  }
  const auto& [host, count] = *on_host.begin();
  for (const auto& [other, others] : on_host)
    if (others != count)
      throw InputError(place, fmt::format("has {} ranks on {} and {} on {}; a profile holds even layouts only", count,
                                          host, others, other));
  return {static_cast<int>(on_host.size()), count};
}

}  // namespace

std::vector<std::string> hosts_of(const std::vector<ListedRank>& listed) {
  std::vector<std::string> hosts;
  for (const ListedRank& each : listed)
    if (std::find(hosts.begin(), hosts.end(), each.host) == hosts.end()) hosts.push_back(each.host);
  return hosts;
}

BenchmarkLayout layout_of(const std::vector<ListedRank>& listed, int ranks_each, const ImportHints& hints,
                          const std::string& place) {
  if (listed.empty()) return checked(told_by(hints, place), place);
  const BenchmarkLayout layout = listed_layout(listed, ranks_each, place);
  BenchmarkLayout told{hints.nodes, hints.ranks_per_node};
  const int ranks = layout.ranks();
  if (told.nodes == 0 && told.ranks_per_node == 0) return checked(layout, place);
  if (told.nodes == 0) told.nodes = ranks / told.ranks_per_node;
  if (told.ranks_per_node == 0) told.ranks_per_node = ranks / told.nodes;
  if (told.ranks() != ranks)
    throw InputError(place, fmt::format("lists {} ranks, which are not {} nodes of {}", ranks,
                                        hints.nodes > 0 ? hints.nodes : told.nodes,
                                        hints.ranks_per_node > 0 ? hints.ranks_per_node : told.ranks_per_node));
  return checked(told, place);
}

}  // namespace mlsim::calibrate
