// `mlsim export chakra` and `mlsim import chakra`.
#include <nlohmann/json.hpp>

#include "bad_case.hpp"
#include "run_mlsim.hpp"
#include "schemas/json_schema.hpp"

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
  CHECK_THAT(in.out, ContainsSubstring("Step        " + out.out.substr(at, out.out.find('\n', at) - at) + "\n"));
  const auto read = nlohmann::json::parse(text_of(json));
  CHECK(read["ranks"].size() == 2);
  CHECK(read["step_time_s"].get<double>() > 0);
  CHECK(read["exchanges"][0]["kind"] == "all-reduce");
  CHECK(mlsim::test::schema_errors("interop/chakra/chakra_replay.schema.json", text_of(json)).value_or("") == "");
}

TEST_CASE("on ideal links a ring takes what its formula says, and either kind of links is said") {
  const ScratchFolder folder;
  const std::string prefix = folder.path("step");
  // This software takes no time of its own, so that a step is kernels and exchanges.
  REQUIRE(run_mlsim("export chakra --topology dgx-a100:per_node=4 --workload vgg16 --set overlap=off --set bucket=1GB "
                    "--set stack=tf-cnn-2.3 --output '" +
                    prefix + "'")
              .code == 0);
  const auto read = [&](const std::string& options) {
    const std::string json = folder.path("run.json");
    const ProgramRun run = run_mlsim("import chakra '" + prefix + "' --topology dgx-a100:per_node=4 --output '" + json +
                                     "' --set algorithm=ring " + options);
    INFO(run.err);
    REQUIRE(run.code == 0);
    return std::pair(run.out, nlohmann::json::parse(text_of(json)));
  };
  const auto [software, as_used] = read("");
  const auto [text, ideal] = read("--links ideal");
  CHECK_THAT(software, ContainsSubstring("with what software loses on them"));
  CHECK_THAT(text, ContainsSubstring("ideal: their line rate"));
  CHECK(as_used["links"] == "software");
  CHECK(ideal["links"] == "ideal");
  // An all-reduce in a ring of four sends 2 x 3/4 of its payload over NVLinks of 300 GB/s, within 1 % with latencies.
  double bytes = 0;
  for (const auto& each : ideal["exchanges"]) bytes += each["payload_bytes"].get<double>();
  const double exchanges = ideal["step_time_s"].get<double>() - ideal["ranks"][0]["kernels_s"].get<double>();
  CHECK(exchanges == Approx(2 * 0.75 * bytes / 300e9).epsilon(0.01));
  CHECK(ideal["step_time_s"].get<double>() < as_used["step_time_s"].get<double>());
  check({{"import chakra '" + prefix + "' --topology dgx-a100 --links perfect", "--links: unknown kind of links"},
         {"import chakra '" + prefix + "' --topology dgx-a100 --links ideal --set communicator=nccl",
          "loses nothing on --links ideal"}});
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
  const std::string dgx = "export chakra --topology dgx1-v100 --workload resnet50 --output '" + folder.path("c") + "' ";
  for (const std::string set : {"epochs=3", "price=preemptible", "failures=on", "clock=wall", "teardown=5min"})
    check({{dgx + "--set " + set, "--set " + set.substr(0, set.find('=')) + "="}});
  check({{dgx + "--set jitter=normal:0.02", "is drawn anew for every step"},
         {dgx + "--seed 3", "--seed 3: changes nothing"},
         {dgx + "--prices no.yaml", "--prices: is about what a job costs"}});
  CHECK(folder.entries() == 0);
}

TEST_CASE("Chakra's files are refused with their place, and what is missing is said") {
  const ScratchFolder folder;
  const std::string bad = folder.file("bad.0.et", "x"), prefix = folder.path("bad");
  check({{"import chakra", "FILE: behind chakra stand PREFIX"},
         {"import chakra '" + prefix + "'", "--topology: is needed"},
         {"import chakra '" + prefix + "' --topology dgx-a100", bad + ": byte 0: a message of 120 bytes"},
         {"import chakra '" + prefix + "' --topology dgx-a100 --sum-memory fast", "--sum-memory: "},
         {"import chakra '" + prefix + "' --accelerator v100", "--accelerator: is of no use"}});
}
