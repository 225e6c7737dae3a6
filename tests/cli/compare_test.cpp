#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "run_mlsim.hpp"

using Catch::Matchers::ContainsSubstring;

TEST_CASE("compare sets systems and settings side by side, and says what is best") {
  const ProgramRun run = run_mlsim(
      "compare dgx-a100 'dgx-a100:nodes=2 accumulation=2' 'tpu-v3-32 price-date=2020-07' --workload resnet50");
  CHECK(run.err.empty());
  REQUIRE(run.code == 0);
  for (const std::string part : {"accumulation", "time to target", "best", "x", "The same for all: workload resnet50"})
    CHECK_THAT(run.out, ContainsSubstring(part));
}

TEST_CASE("each answer of a comparison is predict's, in JSON too") {
  using nlohmann::json;
  const auto both = json::parse(
      run_mlsim("compare dgx-a100 'precision=tf32 topology=dgx-a100' --workload resnet50 --format json").out);
  const auto alone =
      json::parse(run_mlsim("predict --topology dgx-a100 --precision tf32 --workload resnet50 --format json").out);
  CHECK_FALSE(alone["nearest_published"].is_null());
  REQUIRE(both["answers"].size() == 2);
  CHECK(both["answers"][1]["prediction"] == alone);
  CHECK(both["figures"][0]["values"].size() == 2);
}

TEST_CASE("slips in a comparison are refused with their column and the nearest right word") {
  const auto complaint = [](const std::string& arguments) {
    const ProgramRun run = run_mlsim("compare " + arguments + " --workload resnet50");
    CHECK(run.code == 2);
    CHECK(run.out.empty());
    return run.err;
  };
  CHECK_THAT(complaint("dgx-a100"), ContainsSubstring("two columns"));
  CHECK_THAT(complaint("dgx-a100 dgx-a100"), ContainsSubstring("stands twice"));
  CHECK_THAT(complaint("dgx-a100 'dgx-a100 precison=fp16'"),
             ContainsSubstring("dgx-a100 precison=fp16") && ContainsSubstring("\"precision\""));
  CHECK_THAT(complaint("dgx-a100 'dgx-a100 precision=fp61'"), ContainsSubstring("fp16"));
  CHECK_THAT(complaint("dgx-a100 'dgx1-v100 data=real data=synthetic'"), ContainsSubstring("data twice"));
  CHECK_THAT(complaint("dgx-a100 'dgx-a100 dgx1-v100'"), ContainsSubstring("topology twice"));
  CHECK_THAT(complaint("dgx-a100 'data=real'"), ContainsSubstring("--topology"));
}

TEST_CASE("a comparison of which nothing is feasible is a negative answer") {
  const ProgramRun run =
      run_mlsim("compare dgx-a100 dgx1-v100 --workload resnet50 --batch-per-accelerator 1000000 --as-is");
  CHECK(run.code == 1);
  CHECK_THAT(run.out, ContainsSubstring("! dgx-a100: refused") && ContainsSubstring("! dgx1-v100: refused"));
}
