#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "run_mlsim.hpp"

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

const std::string kBertIn2020 =
    "plan --workload bert --topology p4d,dgx1-v100 --price-date 2020-12 --most-accelerators 32 ";

}  // namespace

TEST_CASE("a plan says what to rent, how sure that is, and what would change it") {
  const ProgramRun run = run_mlsim(kBertIn2020 + "--deadline 2h --budget 500USD");
  REQUIRE(run.code == 0);
  CHECK(run.err.empty());
  for (const std::string part :
       {"within 2.00 h and under 500 USD, 90 % sure", "Rent ", "p4d", "Done in", "Bill", "Sure", "Trust", "What if",
        "worth at most", "Turns at", "a deadline below", "Measuring"})
    CHECK_THAT(run.out, ContainsSubstring(part));
}

TEST_CASE("a plan's JSON holds the question that predict answers alike") {
  const auto plan = json::parse(run_mlsim(kBertIn2020 + "--deadline 2h --format json").out);
  REQUIRE(plan["feasible"] == true);
  const auto chosen = plan["candidates"][plan["chosen"].get<std::size_t>()];
  std::string command = "predict --format json";
  for (const auto& [word, value] : chosen["question"].items())
    if (value.is_string()) command += " --" + word + " " + value.get<std::string>();
  const auto prediction = json::parse(run_mlsim(command).out);
  CHECK(prediction["time_to_target_s"] == chosen["time_to_target_s"]);
  CHECK(prediction["cost_usd"].get<double>() == Approx(chosen["cost_usd"].get<double>()));
}

TEST_CASE("a goal that nothing meets is a negative answer with the nearest that would") {
  const ProgramRun run = run_mlsim(kBertIn2020 + "--deadline 2h --budget 20USD");
  CHECK(run.code == 1);
  CHECK_THAT(run.out, ContainsSubstring("No system") && ContainsSubstring("More money") && ContainsSubstring(" more"));
  const ProgramRun quick = run_mlsim(kBertIn2020 + "--deadline 1min");
  CHECK(quick.code == 1);
  CHECK_THAT(quick.out, ContainsSubstring("Quickest") && ContainsSubstring("too slow"));
  CHECK(json::parse(run_mlsim(kBertIn2020 + "--deadline 1min --format json").out)["feasible"] == false);
}

TEST_CASE("how ranks work together is asked of each system by itself") {
  const auto plan = json::parse(run_mlsim(kBertIn2020 + "--deadline 20h --parallelism tensor=2 --format json").out);
  REQUIRE(plan["feasible"] == true);
  for (const auto& candidate : plan["candidates"]) CHECK(candidate["question"]["parallelism"] == "tensor=2");
}

TEST_CASE("slips in a plan are refused") {
  const auto complaint = [](const std::string& arguments) {
    const ProgramRun run = run_mlsim("plan " + arguments);
    CHECK(run.code == 2);
    CHECK(run.out.empty());
    return run.err;
  };
  CHECK_THAT(complaint("--deadline 2h"), ContainsSubstring("--workload"));
  CHECK_THAT(complaint("--workload bertt --deadline 2h"), ContainsSubstring("\"bert\""));
  CHECK_THAT(complaint("--workload bert --topology p4q --deadline 2h"), ContainsSubstring("\"p4q\""));
  CHECK_THAT(complaint("--workload bert --deadline 2"), ContainsSubstring("--deadline") && ContainsSubstring("unit"));
  CHECK_THAT(complaint("--workload bert --deadline 0s"), ContainsSubstring("more than no time"));
  CHECK_THAT(complaint("--workload bert --budget 500EUR"), ContainsSubstring("--budget"));
  CHECK_THAT(complaint("--workload bert --budget 0"), ContainsSubstring("more than nothing"));
  CHECK_THAT(complaint("--workload bert --confidence 100"), ContainsSubstring("between 1 and 99.9"));
  CHECK_THAT(complaint("--workload bert --memory-margin 95"), ContainsSubstring("between 0 and 90"));
  CHECK_THAT(complaint("--workload bert --format xml"), ContainsSubstring("json"));
  CHECK_THAT(complaint("--workload bert --accelerators 64 --most-accelerators 8"),
             ContainsSubstring("--most-accelerators: changes nothing beside --accelerators"));
  // What is wrong of any system leaves none out.
  CHECK_THAT(complaint("--workload bert --deadline 2h --accelerators 0"), ContainsSubstring("--accelerators"));
  CHECK_THAT(complaint("--workload bert --deadline 2h --batch-per-accelerator 0"), ContainsSubstring("--batch"));
  CHECK_THAT(complaint("--workload bert --deadline 2h --parallelism foo=2"), ContainsSubstring("\"foo\""));
}
