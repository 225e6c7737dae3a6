#include "calibrate/import/import_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "calibrate/import/benchmark_run.hpp"
#include "calibrate/import/lined_text.hpp"
#include "calibrate/import/nccl_tests_json.hpp"
#include "calibrate/import/nccl_tests_text.hpp"
#include "calibrate/import/osu_text.hpp"
#include "core/text/errors.hpp"
#include "core/text/shown_text.hpp"
#include "core/text/text_file.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::calibrate {
namespace {

constexpr int kMostRanks = 1000000;  // as topologies allow

void take_option(ImportHints& hints, const std::string& key, const std::string& value) {
  const std::vector<std::string> keys{"collective", "precision", "nodes", "ranks_per_node", "machine", "buffers"};
  if (key == "collective") {
    hints.kind = parse<CollectiveKind>(value);
  } else if (key == "precision") {
    hints.precision = parse<Precision>(value);
  } else if (key == "nodes") {
    hints.nodes = parse_count(value);
  } else if (key == "ranks_per_node") {
    hints.ranks_per_node = parse_count(value);
  } else if (key == "machine") {
    hints.machine = checked_name(value);
  } else if (key == "buffers") {
    if (value != "in-place" && value != "out-of-place")
      throw InputError(unknown_word("kind of buffers", value, {"in-place", "out-of-place"}));
    hints.in_place = value == "in-place";
  } else {
    throw InputError(unknown_word("option of an import", key, keys));
  }
}

// The benchmark of "osu_bw, version 7.3, ...: file" is "osu_bw".
std::string benchmark_of(const CollectiveSweep& sweep) {
  return sweep.source.source.substr(0, sweep.source.source.find(','));
}

void add_launch(CollectiveSweep& into, const CollectiveSweep& from) {
  if (benchmark_of(into) != benchmark_of(from))
    throw InputError(fmt::format("{} and {} both time {} on the same system, and mean different things by it; give one",
                                 benchmark_of(into), benchmark_of(from), name(into.kind)));
  for (const auto& point : from.points) {
    const auto found = std::find_if(into.points.begin(), into.points.end(),
                                    [&](const CollectivePoint& p) { return p.payload == point.payload; });
    if (found == into.points.end()) {
      into.points.push_back(point);
      continue;
    }
    auto launches = found->launches;
    launches.insert(launches.end(), point.launches.begin(), point.launches.end());
    *found = point_of(point.payload, launches, found->time.count + point.time.count);
  }
  std::sort(into.points.begin(), into.points.end(), [](const auto& a, const auto& b) { return a.payload < b.payload; });
  if (into.source.source != from.source.source) into.source.source += "; " + from.source.source;
}

}  // namespace

std::vector<BenchmarkRun> benchmark_runs(const std::string& path, const ImportHints& hints) {
  const std::string text = read_text_file(path);
  if (const auto first = text.find_first_not_of(" \t\r\n"); first == std::string::npos)
    throw InputError(path, "is empty");
  else if (text[first] == '{')
    return {nccl_tests_json_run(path, text, hints)};
  const LinedText lined = lined_text(path, text);
  if (is_osu_text(lined)) return osu_text_runs(lined, hints);
  if (is_nccl_tests_text(lined)) return nccl_tests_text_runs(lined, hints);
  throw InputError(path,
                   "is neither a table or JSON file of nccl-tests (\"#  size  count  type ...\") nor of the OSU "
                   "micro-benchmarks (\"# OSU MPI ... Test\")");
}

std::pair<std::string, ImportHints> parse_import(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || text.find('=', colon) == std::string_view::npos)
    return {std::string(text), {}};
  ImportHints hints;
  std::string_view rest = text.substr(colon + 1);
  while (!rest.empty()) {
    const std::string_view option = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), option.size() + 1));
    const auto equals = option.find('=');
    if (equals == std::string_view::npos || equals + 1 == option.size())
      throw InputError(std::string(text), fmt::format("\"{}\" must be key=value", option));
    try {
      take_option(hints, std::string(option.substr(0, equals)), std::string(option.substr(equals + 1)));
    } catch (const InputError& e) {
      throw InputError(std::string(text), e.reason());
    }
  }
  if (static_cast<double>(hints.nodes) * hints.ranks_per_node > kMostRanks)
    throw InputError(std::string(text), fmt::format("names more than {} ranks", count_text(kMostRanks)));
  return {std::string(text.substr(0, colon)), hints};
}

std::vector<CollectiveSweep> import_file(const std::string& path, const ImportHints& hints) {
  std::vector<CollectiveSweep> sweeps;
  for (const auto& run : benchmark_runs(path, hints))
    for (auto& sweep : sweeps_of(run, path, hints)) sweeps.push_back(std::move(sweep));
  return merged_sweeps(sweeps);
}

std::vector<CollectiveSweep> merged_sweeps(const std::vector<CollectiveSweep>& sweeps) {
  std::vector<CollectiveSweep> merged;
  for (const auto& sweep : sweeps) {
    const auto found = std::find_if(merged.begin(), merged.end(),
                                    [&](const CollectiveSweep& other) { return same_system(other, sweep); });
    if (found == merged.end())
      merged.push_back(sweep);
    else
      add_launch(*found, sweep);
  }
  return merged;
}

}  // namespace mlsim::calibrate
