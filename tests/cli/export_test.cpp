// `mlsim export chakra` and what `mlsim import` reads of other programs.
#include <nlohmann/json.hpp>

#include "bad_case.hpp"
#include "run_mlsim.hpp"

namespace {

const std::string kExport = "export chakra --topology dgx1-v100:per_node=2 --workload resnet20-cifar ";

}  // namespace

TEST_CASE("a step goes to Chakra's files and comes back as it was") {
  const ScratchFolder folder;
  const std::string prefix = folder.path("step");
  const ProgramRun out = run_mlsim(kExport + "--output '" + prefix + "'");
  INFO(out.err);
  REQUIRE(out.code == 0);
  CHECK_THAT(out.out, ContainsSubstring("2 ranks"));
  CHECK_THAT(out.out, ContainsSubstring("simulated step: "));
  CHECK(folder.entries() == 2);
  const std::string json = folder.path("run.json");
  const ProgramRun in =
      run_mlsim("import chakra '" + prefix + "' --topology dgx1-v100:per_node=2 --output '" + json + "'");
  INFO(in.err);
  REQUIRE(in.code == 0);
  const std::string head = "simulated step: ";
  const auto at = out.out.find(head) + head.size();
  CHECK_THAT(in.out, ContainsSubstring("Step      " + out.out.substr(at, out.out.find('\n', at) - at) + "\n"));
  const auto read = nlohmann::json::parse(text_of(json));
  CHECK(read["ranks"].size() == 2);
  CHECK(read["step_time_s"].get<double>() > 0);
  CHECK(read["exchanges"][0]["kind"] == "all-reduce");
}

TEST_CASE("what has no place in Chakra's files is refused before any of them is written") {
  const ScratchFolder folder;
  check({{"export", "FORM: is needed: chakra"},
         {"export perfetto", "FORM: unknown word \"perfetto\"; known: chakra"},
         {kExport, "--output: is needed"},
         {"export chakra --topology dgx1-v100:per_node=4 --workload bert-large --parallelism tensor=2 --output '" +
              folder.path("empty") + "'",
          "reads no file of groups whose path does"},
         {"export chakra --topology torus4x4 --workload resnet50 --parallelism spatial=2 --output '" +
              folder.path("step") + "'",
          "Chakra has no kind of collective for the halo-exchange", 1}});
  CHECK(folder.entries() == 0);
}

TEST_CASE("an import takes the options of its form alone, and says what is wrong with a file") {
  const ScratchFolder folder;
  const std::string bad = folder.file("bad.0.et", "x"), prefix = folder.path("bad");
  const std::string log = folder.file("a.txt", "no log\n");
  check({{"import chakra", "FILE: behind chakra stand PREFIX"},
         {"import chakra '" + prefix + "'", "--topology: is needed"},
         {"import chakra '" + prefix + "' --topology dgx-a100", bad + ": byte 0: a message of 120 bytes"},
         {"import chakra '" + prefix + "' --topology dgx-a100 --sum-memory fast", "--sum-memory: "},
         {"import chakra '" + prefix + "' --accelerator v100", "--accelerator: is of no use"},
         {"import mllog '" + log + "'", "--topology: is needed: the logs do not say"},
         {"import mllog '" + log + "' --topology dgx-a100", log + ": has no line with :::MLLOG"},
         {"import mllog '" + log + "' --topology dgx-a100 --output '" + log + "'", "is a log that is read"},
         {"import sacct", "FILE: behind sacct stands one file"},
         {"import sacct '" + log + "'", log + ":1: there is no column JobID"},
         {"import '" + log + "' --topology dgx-a100", "--topology: is for what stands behind a word"}});
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
