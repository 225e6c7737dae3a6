#include "calibrate/import/benchmark_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/quantile.hpp"
#include "core/text/errors.hpp"
#include "core/text/shown_text.hpp"

namespace mlsim::calibrate {
namespace {

struct Launches {
  std::vector<Seconds> times;
  int repetitions = 0;
};

}  // namespace

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
