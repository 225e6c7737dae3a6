// `mlsim import mllog` and `mlsim import sacct`.
#include <tuple>
#include <vector>

#include "bad_case.hpp"
#include "run_mlsim.hpp"

TEST_CASE("an import of logs takes the options of its form alone, and says what is wrong with a file") {
  const ScratchFolder folder;
  const std::string log = folder.file("a.txt", "no log\n");
  check(
      {{"import mllog '" + log + "'", "--topology: is needed: the logs do not say"},
       {"import mllog '" + log + "' --topology dgx-a100", log + ": has no line with :::MLLOG"},
       {"import mllog '" + log + "' --topology dgx-a100 --output '" + log + "'", "is read by FILE; name another file"},
       {"import sacct", "FILE: behind sacct stands one file"},
       {"import sacct '" + log + "'", log + ":1: there is no column JobID"},
       {"import '" + log + "' --topology dgx-a100", "--topology: is for what stands behind a word"}});
}

TEST_CASE(
    "a log of MLPerf goes onto the system of its platform alone, and a benchmark with a workload's name is that") {
  const ScratchFolder folder;
  const auto log = [&](const std::string& platform, const std::string& benchmark) {
    std::string text;
    for (const auto& [time, key, value] :
         std::vector<std::tuple<int, std::string, std::string>>{{0, "submission_platform", "\"" + platform + "\""},
                                                                {0, "submission_benchmark", "\"" + benchmark + "\""},
                                                                {0, "global_batch_size", "256"},
                                                                {1000, "run_start", "null"},
                                                                {61000, "run_stop", "null"}})
      text += ":::MLLOG {\"time_ms\": " + std::to_string(time) + ", \"key\": \"" + key + "\", \"value\": " + value +
              ", \"metadata\": {\"status\": \"success\"}}\n";
    return folder.file("result.txt", text);
  };
  check({{"import mllog '" + log("1xMI300X", "retinanet") + "' --topology dgx-h100",
          "is of \"1xMI300X\", which is mi300x, not of \"h100-sxm5\""}});
  const ProgramRun run = run_mlsim("import mllog '" + log("8xH100-SXM-80GB", "retinanet") + "' --topology dgx-h100");
  INFO(run.err);
  REQUIRE(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring(",dgx-h100,8,retinanet,"));
}

TEST_CASE("logs of MLPerf become cases that are validated, and jobs of Slurm settings that predict takes") {
  const ScratchFolder folder;
  const auto line = [](long time, const std::string& key, const std::string& value, const std::string& status = "") {
    return "0: :::MLLOG {\"time_ms\": " + std::to_string(time) + ", \"key\": \"" + key + "\", \"value\": " + value +
           ", \"metadata\": {\"status\": \"" + status + "\"}}\n";
  };
  const std::string log = folder.file(
      "result_0.txt", line(0, "submission_benchmark", "\"resnet\"") + line(0, "global_batch_size", "2048") +
                          line(1000, "run_start", "null") + line(1500, "tracked_stats", "{\"throughput\": 20000}") +
                          line(2401000, "run_stop", "null", "success"));
  const std::string cases = folder.path("cases.csv");
  REQUIRE(run_mlsim("import mllog '" + log + "' --topology dgx-a100 --output '" + cases + "'").code == 0);
  const ProgramRun scored = run_mlsim("validate published --cases '" + cases + "'");
  INFO(scored.err);
  CHECK_THAT(scored.out, ContainsSubstring("result_0-throughput") && ContainsSubstring("result_0-time_to_accuracy"));

  const std::string jobs = folder.file("jobs.txt",
                                       "JobID|State|NNodes|AllocTRES|ElapsedRaw\n"
                                       "1|COMPLETED|4|gres/gpu=32|360000\n2|NODE_FAIL|4|gres/gpu=32|72000\n");
  const ProgramRun rates = run_mlsim("import sacct '" + jobs + "'");
  REQUIRE(rates.code == 0);
  CHECK_THAT(rates.out, ContainsSubstring("none seen") && ContainsSubstring("no event is no rate of 0"));
  for (const std::string start : {"--set failures=on", "--set price=preemptible"}) {
    const auto at = rates.out.find(start);
    REQUIRE(at != std::string::npos);
    const std::string settings = rates.out.substr(at, rates.out.find('\n', at) - at);
    CHECK(run_mlsim("predict --topology gce-v100 --workload resnet50 " + settings).code == 0);
  }
}
