#include "calibrate/import/import_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "calibrate/import/benchmark_run.hpp"
#include "calibrate/import/benchmark_texts.hpp"
#include "calibrate/import/lined_text.hpp"
#include "calibrate/import/nccl_tests_words.hpp"
#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/text_file.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::calibrate {
namespace {

using Json = nlohmann::json;

constexpr int kMostListedRanks = 1000000;

Json parsed(const std::string& path, const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& e) {
    const std::size_t at = std::min(e.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    const bool cut = text.find_last_not_of(" \t\r\n") < at;
    throw InputError(fmt::format("{}:{}", path, line), cut ? "ends in the middle: the run or the file was cut off"
                                                           : fmt::format("is no JSON at byte {}", e.byte));
  } catch (const Json::out_of_range&) {
    throw InputError(path, "is no JSON: a number in it is beyond 1e308");
  }
}

// A `Place` is a value with its path of keys, for messages.
class Place {
 public:
  Place(const Json& json, std::string file, std::string keys)
      : json_(&json), file_(std::move(file)), keys_(std::move(keys)) {}

  bool has(const char* key) const { return json_->is_object() && json_->contains(key) && !json_->at(key).is_null(); }
  Place at(const char* key) const {
    if (!has(key))
      throw InputError(name(), fmt::format("has no \"{}\": nccl-tests did not end, or wrote another format", key));
    return {json_->at(key), file_, keys_.empty() ? key : keys_ + "." + key};
  }
  std::vector<Place> items() const {
    if (!json_->is_array()) throw InputError(name(), "must be a list");
    std::vector<Place> items;
    for (std::size_t i = 0; i < json_->size(); ++i)
      items.emplace_back(json_->at(i), file_, fmt::format("{}[{}]", keys_, i));
    return items;
  }
  double number(double lowest = 0) const {
    if (!json_->is_number()) throw InputError(name(), fmt::format("is {}, which is no number", json_->dump()));
    const double value = json_->get<double>();
    if (!(value >= lowest)) throw InputError(name(), fmt::format("is {}; it must be at least {}", value, lowest));
    return value;
  }
  int count(int lowest = 0) const {
    const double value = number(lowest);
    if (value > kMostListedRanks) throw InputError(name(), fmt::format("is {}, which is too many", value));
    return static_cast<int>(value);
  }
  std::string text() const {
    if (!json_->is_string()) throw InputError(name(), "must be text");
    return json_->get<std::string>();
  }
  std::string name() const { return keys_.empty() ? file_ : file_ + ": " + keys_; }

 private:
  const Json* json_;
  std::string file_, keys_;
};

int count_or(const Place& map, const char* key, int fallback) { return map.has(key) ? map.at(key).count(1) : fallback; }

// nccl-tests lists only the first rank of each process (parseRankInfo reads one line of several), so a gap in the
// ranks, or one entry of a process with several GPUs, stands for as many as a process has.
BenchmarkLayout layout(const Place& file, const ImportHints& hints, BenchmarkRun& run) {
  const Place config = file.at("config");
  const Place& owner = config.has("devices") ? config : file;
  std::vector<ListedRank> listed;
  int last = 0;
  if (owner.has("devices")) {
    for (const auto& device : owner.at("devices").items()) {
      const int group = device.has("group") ? device.at("group").count() : 0;
      listed.push_back({device.at("rank").count(), group, device.at("hostname").text(),
                        device.has("device_info") ? device.at("device_info").text() : ""});
      last = std::max(last, listed.back().rank);
    }
  }
  const int each = count_or(config, "nthreads", 1) * count_or(config, "ngpus", 1);
  const bool all = static_cast<int>(listed.size()) == last + 1 && listed.size() > 1;
  run.hosts = hosts_of(listed);
  if (!listed.empty()) run.hardware = listed.front().device;
  return layout_of(listed, all ? 1 : each, hints, owner.name());
}

std::string program_of(const Place& file) {
  if (!file.has("args")) return {};
  const auto words = file.at("args").items();
  return words.empty() ? std::string() : program_in(words.front().text());
}

BenchmarkRow row_of(const Place& result, const ImportHints& hints, CollectiveKind kind, int ranks, int repetitions) {
  for (const char* buffers : {"out_of_place", "in_place"}) {
    if (!result.has(buffers)) continue;
    const Place half = result.at(buffers);
    if (half.has("nwrong") && half.at("nwrong").number() > 0)
      throw InputError(half.at("nwrong").name(), "elements of the result are wrong; such times are worth nothing");
  }
  const Place half = result.at(hints.in_place ? "in_place" : "out_of_place");
  BenchmarkRow row;
  row.payload = Bytes(result.at("size").number());
  row.precision = precision_of(result.at("type").text(), hints, result.at("type").name());
  row.repetitions = count_or(result, "actual_iterations", repetitions);
  const Place time = half.at(half.has("time") ? "time" : "cpu_time");
  row.time = microseconds(time.number());
  if (row.time.value <= 0 && row.payload.value > 0) throw InputError(time.name(), "must be more than zero");
  check_bandwidths(half.at("alg_bw").number(), half.at("bus_bw").number(), kind, ranks, half.name());
  return row;
}

// Throws InputError with `path` and the line or key at fault; a file that was cut off says so. Keys that are not
// needed are passed over, as nccl-tests adds some with most versions.
BenchmarkRun nccl_tests_json_run(const std::string& path, const std::string& text, const ImportHints& hints) {
  const Json json = parsed(path, text);
  const Place file(json, path, "");
  file.at("average_bus_bandwidth");  // nccl-tests closes what is open when it is stopped; this it writes at its end
  BenchmarkRun run;
  run.kind = kind_of(program_of(file), hints, path);
  const BenchmarkLayout ranks = layout(file, hints, run);
  run.nodes = ranks.nodes;
  run.ranks_per_node = ranks.ranks_per_node;
  run.benchmark = fmt::format("nccl-tests {}{}", name(run.kind), hints.in_place ? " in place" : "");
  run.communicator = library_on(run.hardware);
  run.device = "cuda";
  run.remark = fmt::format("NCCL {}{}", file.has("nccl_version") ? file.at("nccl_version").count() : 0,
                           hints.in_place ? "" : ", out of place");
  const int repetitions = count_or(file.at("config"), "iterations", 1);
  for (const auto& result : file.at("results").items())
    run.rows.push_back(row_of(result, hints, run.kind, ranks.ranks(), repetitions));
  return run;
}

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
