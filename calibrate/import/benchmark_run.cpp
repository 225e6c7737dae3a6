#include "calibrate/import/benchmark_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/quantile.hpp"
#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"

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

struct Launches {
  std::vector<Seconds> times;
  int repetitions = 0;
};

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

CollectivePoint point_of(Bytes payload, std::vector<Seconds> launches, int repetitions) {
  std::vector<double> ascending;
  for (const Seconds time : launches) ascending.push_back(time.value);
  std::sort(ascending.begin(), ascending.end());
  CollectivePoint point;
  point.payload = payload;
  point.time.median = Seconds(quantile(ascending, 0.5));
  point.time.lower_quartile = Seconds(quantile(ascending, 0.25));
  point.time.upper_quartile = Seconds(quantile(ascending, 0.75));
  point.time.count = repetitions;
  point.launches = std::move(launches);
  return point;
}

std::vector<CollectiveSweep> sweeps_of(const BenchmarkRun& run, const std::string& path, const ImportHints& hints) {
  std::map<Precision, std::map<Bytes, Launches>> table;
  for (const auto& row : run.rows) {
    if (row.payload.value == 0) continue;
    Launches& launches = table[row.precision][row.payload];
    launches.times.push_back(row.time);
    launches.repetitions += row.repetitions;
  }
  if (table.empty()) throw InputError(path, "holds no row that moves any bytes");
  std::vector<CollectiveSweep> sweeps;
  for (const auto& [precision, points] : table) {
    CollectiveSweep sweep;
    sweep.kind = run.kind;
    sweep.communicator = run.communicator;
    sweep.device = run.device;
    sweep.precision = precision;
    sweep.machine = hints.machine;
    sweep.hardware = run.hardware;
    sweep.nodes = run.nodes;
    sweep.ranks_per_node = run.ranks_per_node;
    for (const auto& [payload, launches] : points)
      sweep.points.push_back(point_of(payload, launches.times, launches.repetitions));
    sweep.source = {Provenance::measured, fmt::format("{}, {}: {}", run.benchmark, run.remark, shown_text(path)), ""};
    sweeps.push_back(std::move(sweep));
  }
  return sweeps;
}

}  // namespace mlsim::calibrate
