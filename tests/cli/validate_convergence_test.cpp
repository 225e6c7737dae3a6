// `mlsim validate convergence`: the leave-one-out errors of the convergence tables.
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "run_mlsim.hpp"

using Catch::Matchers::ContainsSubstring;

TEST_CASE("validate convergence prints a row for each benchmark and passes its bounds") {
  const ProgramRun run = run_mlsim("validate convergence");
  CHECK(run.code == 0);
  CHECK(run.err.empty());
  for (const char* word :
       {"bert", "dlrm", "gnmt", "maskrcnn", "minigo", "resnet", "ssd", "transformer", "unet3d", "all"})
    CHECK_THAT(run.out, ContainsSubstring(word));
}

TEST_CASE("validate convergence as JSON holds the three ways of leaving out") {
  const ProgramRun run = run_mlsim("validate convergence --format json");
  REQUIRE(run.code == 0);
  const auto all = nlohmann::json::parse(run.out).at("all");
  for (const char* way : {"row", "batch", "submitter"}) CHECK(all.at(way).at("count").get<int>() > 200);
}

TEST_CASE("options that validate convergence cannot use are refused") {
  for (const char* option : {"--cases x.csv", "--profile x.json", "--fidelity closed", "--format markdown"}) {
    const ProgramRun run = run_mlsim(std::string("validate convergence ") + option);
    INFO(option);
    CHECK(run.code == 2);
    CHECK(run.out.empty());
  }
}
