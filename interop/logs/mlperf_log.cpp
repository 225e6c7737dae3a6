#include "interop/logs/mlperf_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/quantile.hpp"
#include "core/text/csv.hpp"
#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/split.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::interop {
namespace {

constexpr std::string_view kMark = ":::MLLOG";

// A LoggedRun is what the lines of one file have said so far.
struct LoggedRun {
  MlperfRun run;
  std::optional<double> start_ms, stop_ms;
  std::vector<double> throughputs;
  std::size_t lines = 0;
};

void take(LoggedRun& logged, const nlohmann::json& line) {
  const std::string key = line.at("key");
  const auto& value = line.at("value");
  if (key == "submission_benchmark") logged.run.benchmark = value;
  if (key == "submission_platform") logged.run.platform = value;
  if (key == "global_batch_size") logged.run.global_batch = value;
  if (key == "run_start") {
    const double at = line.at("time_ms");
    logged.start_ms = std::min(logged.start_ms.value_or(at), at);
  }
  if (key == "run_stop") {
    const double at = line.at("time_ms");
    logged.stop_ms = std::max(logged.stop_ms.value_or(at), at);
    const auto metadata = line.value("metadata", nlohmann::json::object());
    logged.run.reached = logged.run.reached || metadata.value("status", "") == "success";
  }
  if (key == "throughput" && value.is_number()) logged.throughputs.push_back(value);
  if (key == "tracked_stats" && value.is_object() && value.contains("throughput"))
    logged.throughputs.push_back(value.at("throughput"));
}

void read_line(LoggedRun& logged, const std::string& line, const std::string& place) {
  const std::size_t mark = line.find(kMark);
  if (mark == std::string::npos) return;
  ++logged.lines;
  try {
    const std::size_t begin = line.find('{', mark);
    // A launcher may put text behind the object, too.
    const std::size_t end = line.rfind('}');
    if (begin == std::string::npos || end == std::string::npos || end < begin)
      throw InputError(place, "there is no whole {...} behind :::MLLOG: is the line cut?");
    take(logged, nlohmann::json::parse(line.substr(begin, end - begin + 1)));
  } catch (const nlohmann::json::parse_error& e) {
    throw InputError(place, fmt::format("is no line of MLPerf's logging: its JSON goes wrong at byte {}", e.byte));
  } catch (const nlohmann::json::exception&) {
    throw InputError(place, "is no line of MLPerf's logging: a value is of the wrong kind");
  }
}

// Returns the workload of an MLPerf benchmark, "bert-large" for "bert"; empty if none is certain ("ssd" has been two).
std::string workload_of_benchmark(const std::string& benchmark) {
  static const std::array<std::pair<const char*, const char*>, 12> known{{{"resnet", "resnet50"},
                                                                          {"bert", "bert-large"},
                                                                          {"dlrm", "dlrm"},
                                                                          {"dlrm_dcnv2", "dlrm-dcnv2"},
                                                                          {"gnmt", "gnmt"},
                                                                          {"maskrcnn", "mask-rcnn"},
                                                                          {"minigo", "minigo"},
                                                                          {"rnnt", "rnnt"},
                                                                          {"transformer", "transformer-big"},
                                                                          {"unet3d", "unet3d"},
                                                                          {"gpt3", "gpt3-175b"},
                                                                          {"llama2_70b_lora", "llama2-70b-lora"}}};
  for (const auto& [name, workload] : known)
    if (benchmark == name) return workload;
  return name_among(model_names(), benchmark).value_or("");  // as retinanet
}

std::string row_of(const MlperfRun& run, const MlperfPlace& place, const char* metric, double value, const char* unit) {
  const std::string workload = place.workload.empty() ? workload_of_benchmark(run.benchmark) : place.workload;
  if (workload.empty())
    throw InputError(run.file, run.benchmark.empty()
                                   ? std::string("does not say its benchmark: --workload NAME")
                                   : fmt::format("is of benchmark {}, whose workload is not certain: --workload NAME",
                                                 run.benchmark));
  const std::string stem = std::filesystem::path(run.file).stem().string();
  const std::string source = run.platform.empty() ? "own runs" : run.platform;
  std::string row;
  for (const std::string& field :
       {fmt::format("{}-{}", stem, metric), source, place.topology, std::to_string(place.accelerators), workload,
        std::string(), fmt::format("{:.10g}", run.global_batch), std::string(), std::string(metric),
        fmt::format("{:.6g}", value), std::string(unit), std::string(), std::string("check"), run.file})
    row += (row.empty() ? "" : ",") + csv_field(field);
  return row + "\n";
}

}  // namespace

MlperfRun mlperf_run(const std::string& text, const std::string& file) {
  LoggedRun logged;
  logged.run.file = file;
  std::size_t number = 0;
  for (const std::string& line : split(text, '\n')) read_line(logged, line, fmt::format("{}:{}", file, ++number));
  if (logged.lines == 0) throw InputError(file, "has no line with :::MLLOG");
  if (!logged.start_ms) throw InputError(file, "has no run_start");
  if (!logged.stop_ms) throw InputError(file, "has no run_stop: did the run end?");
  if (*logged.stop_ms <= *logged.start_ms)
    throw InputError(file, "run_stop comes before run_start: the clock goes backwards");
  if (!(logged.run.global_batch > 0)) throw InputError(file, "has no global_batch_size above 0");
  logged.run.time = Seconds((*logged.stop_ms - *logged.start_ms) * 1e-3);
  std::sort(logged.throughputs.begin(), logged.throughputs.end());
  if (!logged.throughputs.empty()) logged.run.throughput = quantile(logged.throughputs, 0.5);
  return logged.run;
}

std::string cases_csv(const std::vector<MlperfRun>& runs, const MlperfPlace& place) {
  std::string rows;
  for (const MlperfRun& run : runs) {
    if (run.reached) rows += row_of(run, place, "time_to_accuracy", run.time.value, "s");
    if (run.throughput) rows += row_of(run, place, "throughput", *run.throughput, "samples/s");
  }
  if (rows.empty())
    throw InputError(runs.front().file,
                     "nothing can be compared: the run did not reach its target and logged no throughput");
  return "id,source,topology,accelerators,workload,precision,global_batch,options,metric,value,unit,"
         "relative_uncertainty,role,citation\n" +
         rows;
}

}  // namespace mlsim::interop
