#include "bad_case.hpp"

TEST_CASE("explain prints path, resources and elasticities") {
  const ProgramRun run = run_mlsim("explain --topology torus8x8 --workload resnet50");
  CHECK(run.code == 0);
  CHECK(run.err.empty());
  for (const auto* what : {"Critical path", "Made of", "ICI bandwidth", "matrix units", "elasticity", "whole step"})
    CHECK_THAT(run.out, ContainsSubstring(what));
  const ProgramRun json = run_mlsim("explain --topology torus8x8 --workload resnet50 --format json");
  CHECK(json.code == 0);
  CHECK_THAT(json.out, ContainsSubstring("\"critical_path\""));
  CHECK_THAT(json.out, ContainsSubstring("\"saved_share\""));
}

TEST_CASE("explain refuses what predict refuses, in its own name") {
  check({{"explain --workload resnet50", "explain needs --topology"},
         {"explain --topology torus4x4 --workload resnet51", "did you mean \"resnet50\"?"},
         {"explain --topology torus4x4 --workload resnet50 --format xml", "known: text, json"},
         {"explain --topology torus4x4 --workload resnet50 --trace a.json", "--trace"},
         {"explian --topology torus4x4", "did you mean \"explain\"?"}});
}

TEST_CASE("explain refuses what is about the job, and says who takes it") {
  const std::string question = "explain --topology torus4x4 --workload resnet50 ";
  check({{question + "--set billing=hour", "--set billing=hour: is about the job and what it costs"},
         {question + "--price-date 2020-07", "`mlsim predict` takes it"},
         {question + "--seed 0", "--seed 0: changes nothing"},
         {question + "--seed ''", "--seed: is empty"}});
  const ProgramRun help = run_mlsim("explain --help");
  for (const auto* hidden : {"--price-date", "billing=", "epochs="}) CHECK(help.out.find(hidden) == std::string::npos);
}

TEST_CASE("stragglers that make no sense are refused with what would") {
  const auto set = [](const std::string& item, const std::string& says) {
    return BadCase{kPredict + "--set \"" + item + "\"", says, 2};
  };
  check({set("jitter=norml:0.02", "--set jitter=norml:0.02: unknown distribution \"norml\""),
         set("jitter=normal:2", "0 to 0.5"), set("jitter=samples:nowhere.txt", "nowhere.txt"),
         set("speed_spread=0.5", "must be between 0 and 0.3"), set("slow_host=0", "has no factor"),
         set("slow_host=99:0.5", "slow host 99 does not exist"), set("slow_host=0:1.5", "1e-06 to 1"),
         set("input_skew=normal:2", "no unit"), set("straggler_steps=10", "changes nothing without speed_spread=…"),
         set("overlap_slowdown=-1", "must be between 0 and 10"),
         set("speed_spred=0.1", "did you mean \"speed_spread\"?")});
}
