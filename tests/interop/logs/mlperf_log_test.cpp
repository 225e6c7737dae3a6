#include "interop/logs/mlperf_log.hpp"

#include <fmt/format.h>

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::interop;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string line(const std::string& prefix, double time_ms, const std::string& key, const std::string& value,
                 const std::string& metadata = "{}") {
  return fmt::format(
      "{}:::MLLOG {{\"namespace\": \"\", \"time_ms\": {:.0f}, \"event_type\": \"POINT_IN_TIME\", \"key\": "
      "\"{}\", \"value\": {}, \"metadata\": {}}}\n",
      prefix, time_ms, key, value, metadata);
}

constexpr double kBegin = 1719843792116;

std::string log_of(const std::string& benchmark, const std::string& status) {
  return "some other line\n" + line("0: ", 0, "cache_clear", "true") +
         line("0: ", kBegin - 9, "submission_benchmark", "\"" + benchmark + "\"") +
         line("[1] ", kBegin - 8, "submission_platform", "\"2xDGXA100\"") +
         line("0: ", kBegin - 7, "global_batch_size", "448") +
         line("ray-training  | [1] ", kBegin + 5, "run_start", "null") + line("0: ", kBegin, "run_start", "null") +
         line("0: ", kBegin + 10, "tracked_stats", "{\"throughput\": 1900.5}") +
         line("0: ", kBegin + 20, "tracked_stats", "{\"train_epoch_timing\": 234.9}") +
         line("0: ", kBegin + 30, "tracked_stats", "{\"throughput\": 2000}") +
         line("0: ", kBegin + 40, "tracked_stats", "{\"throughput\": 2100}") +
         line("0: ", kBegin + 1200000, "run_stop", "null", "{\"status\": \"" + status + "\"}");
}

std::string mlperf_refusal(const std::string& text) {
  try {
    mlperf_run(text, "result_0.txt");
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a run is read through launchers' prefixes and several ranks' lines") {
  const MlperfRun run = mlperf_run(log_of("bert", "success"), "result_0.txt");
  CHECK(run.benchmark == "bert");
  CHECK(run.platform == "2xDGXA100");
  CHECK(run.global_batch == 448);
  CHECK(run.time.value == Approx(1200));
  CHECK(run.reached);
  CHECK(run.throughput == 2000);
}

TEST_CASE("runs become cases: time to accuracy of those that reached it, and throughput") {
  const std::string head =
      "id,source,topology,accelerators,workload,precision,global_batch,options,metric,value,unit,"
      "relative_uncertainty,role,citation\n";
  const MlperfRun reached = mlperf_run(log_of("bert", "success"), "logs/result_0.txt");
  CHECK(cases_csv({reached}, {"dgx-a100:nodes=2", 16, ""}) ==
        head +
            "result_0-time_to_accuracy,2xDGXA100,dgx-a100:nodes=2,16,bert-large,,448,,time_to_accuracy,1200,s,,check,"
            "logs/result_0.txt\n"
            "result_0-throughput,2xDGXA100,dgx-a100:nodes=2,16,bert-large,,448,,throughput,2000,samples/s,,check,"
            "logs/result_0.txt\n");
  const MlperfRun aborted = mlperf_run(log_of("ssd", "aborted"), "b.txt");
  CHECK_THROWS_WITH(cases_csv({aborted}, {"dgx-a100", 8, ""}),
                    ContainsSubstring("is of benchmark ssd, whose workload is not certain"));
  const std::string one = cases_csv({aborted}, {"dgx-a100", 8, "retinanet"});
  CHECK_THAT(one, ContainsSubstring("b-throughput,"));
  CHECK_THAT(one, !ContainsSubstring("time_to_accuracy"));
}

TEST_CASE("logs that are cut or say no run are refused with their place") {
  const std::string whole = log_of("bert", "success");
  CHECK_THAT(mlperf_refusal("nothing\n"), ContainsSubstring("has no line with :::MLLOG"));
  CHECK_THAT(mlperf_refusal(whole.substr(0, whole.find("run_stop") + 20)),
             ContainsSubstring("result_0.txt:12: there is no whole"));
  CHECK_THAT(mlperf_refusal(line("", kBegin, "global_batch_size", "448")), ContainsSubstring("has no run_start"));
  CHECK_THAT(mlperf_refusal(line("", kBegin, "run_start", "null")),
             ContainsSubstring("has no run_stop: did the run end?"));
  CHECK_THAT(mlperf_refusal(line("", kBegin, "run_start", "null") + line("", kBegin - 5, "run_stop", "null")),
             ContainsSubstring("the clock goes backwards"));
  CHECK_THAT(mlperf_refusal(line("", kBegin, "run_start", "null") + line("", kBegin + 5, "run_stop", "null")),
             ContainsSubstring("global_batch_size"));
  CHECK_THAT(mlperf_refusal(line("", kBegin, "global_batch_size", "\"many\"")),
             ContainsSubstring("result_0.txt:1: is no line of"));
}
