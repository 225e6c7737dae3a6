// Prices of the user's own, on the command line and in files.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "bad_case.hpp"

namespace {

using nlohmann::json;

const std::string kP5 = "predict --topology p5:nodes=2 --workload resnet50 ";

double price_per_hour(const std::string& arguments) {
  const ProgramRun run = run_mlsim(arguments + " --format json");
  REQUIRE(run.code == 0);
  return json::parse(run.out)["price_usd_per_s"].get<double>() * 3600;
}

}  // namespace

TEST_CASE("a price of one's own is paid, and the answer says whose it is") {
  CHECK(price_per_hour(kP5 + "--price p5=98USD/h") == Approx(196));
  CHECK(price_per_hour(kP5 + "--price h100=2.5USD/h") == Approx(40));
  CHECK(price_per_hour(kP5 + "--price 'p5=98 USD/h' --price h100=1USD/h") == Approx(196));
  CHECK(price_per_hour(kP5 + "--set own_price=p5=98USD/h") == Approx(196));
  const ProgramRun run = run_mlsim(kP5 + "--price p5=98USD/h --format json");
  CHECK_THAT(run.out, ContainsSubstring("given by the user"));
  CHECK_THAT(run_mlsim(kP5 + "--price p5=98USD/h").out, ContainsSubstring("(your own)"));
  CHECK(json::parse(run.out)["inputs"]["settings"]["own_price"] == "p5=98USD/h");
}

TEST_CASE("a price list of one's own counts after prices of the command line") {
  const ScratchFolder folder;
  const std::string list = folder.file("own.yaml", "prices:\n  - {resource: p5, on_demand: 50 USD/h}\n");
  CHECK(price_per_hour(kP5 + "--prices " + list) == Approx(100));
  CHECK(price_per_hour(kP5 + "--price h100=1USD/h --prices " + list) == Approx(16));
  std::string text = run_mlsim(kP5 + "--prices " + list).out;
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == ' ' || c == '\n'; }), text.end());
  CHECK_THAT(text, ContainsSubstring("(yourown," + list + ":2)"));
  CHECK(price_per_hour(kP5 + "--price h100=1USD/h:preemptible --prices " + list) == Approx(100));
}

TEST_CASE("a comparison takes prices of one's own for all columns and for one") {
  const ProgramRun run =
      run_mlsim("compare p5 dgx-a100 'p5 own_price=p5=11USD/h' --workload resnet50 --price p5=98USD/h --format json");
  REQUIRE(run.code == 0);
  const auto answers = json::parse(run.out)["answers"];
  const auto hourly = [&](int i) { return answers[i]["prediction"]["price_usd_per_s"].get<double>() * 3600; };
  CHECK(hourly(0) == Approx(98));
  CHECK(hourly(1) == Approx(21.957642));
  CHECK(hourly(2) == Approx(11));
}

TEST_CASE("a sweep takes prices of one's own for all points, or as an axis") {
  const ScratchFolder folder;
  const auto rows = [&](const std::string& name, const std::string& prices) {
    const ProgramRun run = run_mlsim("sweep --topology p5,p5:nodes=2 --workload resnet50 --quiet --output " +
                                     folder.path(name + ".csv") + " " + prices);
    CHECK(run.code == 0);
    return text_of(folder.path(name + ".csv"));
  };
  const std::string usual = rows("usual", ""), all = rows("all", "--price p5=98USD/h --price gcp-v100=1USD/h");
  const std::string axis = rows("axis", "--set own_price=p5=98USD/h,p5=49USD/h");
  CHECK(usual != all);
  CHECK(std::count(all.begin(), all.end(), '\n') == std::count(usual.begin(), usual.end(), '\n'));
  CHECK(std::count(axis.begin(), axis.end(), '\n') == 1 + 2 * (std::count(usual.begin(), usual.end(), '\n') - 1));
  const std::string list = folder.file("own.yaml", "prices:\n  - {resource: p5, on_demand: 98 USD/h}\n");
  CHECK(rows("list", "--prices " + list) != usual);
  check(BadCase{"sweep --topology p5 --workload resnet50 --price p5=9USD", "--price: "});
  check(BadCase{"sweep --topology p5 --workload resnet50 --price p5=9USD/h --set own_price=p5=8USD/h",
                "does not go with"});
}

TEST_CASE("a slip in a price of one's own is refused") {
  const ScratchFolder folder;
  const std::string bad = folder.file("own.yaml", "prices:\n  - {resource: p5, on_deman: 50 USD/h}\n");
  check({{kP5 + "--price dgx-a10=98USD/h", "--price: unknown machine, accelerator or resource \"dgx-a10\""},
         {kP5 + "--price dgx-a10=98USD/h", "did you mean \"dgx-a100\"?"},
         {kP5 + "--price p5=98", "--price: "},
         {kP5 + "--price p5=98USD/h/nodes", "did you mean \"node\"?"},
         {kP5 + "--price dgx-a100=98USD/h", "--price: dgx-a100 is not in the bill of p5:nodes=2"},
         {"compare p5 dgx-a100 --workload resnet50 --price dgx2=9USD/h", "dgx2 is not in the bill"},
         {kP5 + "--prices " + bad, "own.yaml:2: unknown key \"on_deman\"; did you mean \"on_demand\"?"},
         {kP5 + "--prices " + folder.path("none.yaml"), "none.yaml"},
         {"explain --topology p5 --workload resnet50 --price p5=98USD/h", "changes nothing of a step"},
         {"explain --topology p5 --workload resnet50 --prices " + bad, "changes nothing of a step"}});
}
