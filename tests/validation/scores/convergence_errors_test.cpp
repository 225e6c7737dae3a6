#include "validation/scores/convergence_errors.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "core/text/document.hpp"
#include "reports/pages/pages.hpp"
#include "reports/renderers/renderers.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string point(int batch, double epochs, const std::string& submitter) {
  return "{batch: " + std::to_string(batch) + ", epochs: " + std::to_string(epochs) + ", runs: 5, source: v1 " +
         submitter + " x},";
}

ConvergenceTable table(const std::string& points) {
  return parse_convergence(
      Document::parse("benchmark: toy\ntitle: Toy\nspread: {run_to_run: 0.03, between_submissions: 0.04, source: t}\n"
                      "defaults: {gpu: only}\npauses: []\nrecipes:\n  - {name: only, title: t, target: t, "
                      "samples_per_epoch: 1, clock_era: v1, source: s, points: [" +
                          points + "]}\n",
                      "toy.yaml"));
}

}  // namespace

TEST_CASE("each way of leaving out takes what it says") {
  const auto twins = convergence_errors({table(point(100, 10, "A") + point(100, 11, "B"))}).all;
  CHECK(twins.results == 2);
  CHECK(twins.by(LeaveOut::row).error.max == Approx(0.1));  // 11 for 10
  CHECK(twins.by(LeaveOut::batch).unanswered == 2);
  CHECK(twins.by(LeaveOut::submitter).error.max == Approx(0.1));
  const auto alone = convergence_errors({table(point(100, 10, "A") + point(200, 16, "A") + point(300, 20, "A"))}).all;
  CHECK(alone.by(LeaveOut::row).error.count == 3);
  CHECK(alone.by(LeaveOut::batch).error.count == 3);
  CHECK(alone.by(LeaveOut::submitter).unanswered == 3);
}

TEST_CASE("an interior result left out is predicted on the line between its neighbours") {
  const auto errors = convergence_errors({table(point(100, 10, "A") + point(200, 16, "A") + point(300, 20, "A"))});
  // 100 and 300 are outside: 16 held down for 10; the middle is 15 for 16.
  const ErrorSummary& row = errors.all.by(LeaveOut::row).error;
  CHECK(row.max == Approx(0.6));
  CHECK(row.median >= 0.0625 - 1e-9);
}

TEST_CASE("the convergence tables predict results that they do not hold as well as published for their rule") {
  const ConvergenceErrors errors = convergence_errors();
  INFO(page_text(convergence_page(errors), {}));
  CHECK(errors.all.results >= 236);
  CHECK(errors.all.by(LeaveOut::row).error.median <= 0.025);
  CHECK(errors.all.by(LeaveOut::batch).error.median <= 0.04);
  CHECK(errors.all.by(LeaveOut::row).error.p90 <= 0.12);
  CHECK(errors.all.by(LeaveOut::submitter).error.median <= 0.035);
  // 90 % intervals: held by 85 to 97 % of what is left out.
  for (const LeaveOut how : kLeaveOuts) {
    CHECK(errors.all.by(how).coverage >= 0.85);
    CHECK(errors.all.by(how).coverage <= 0.97);
  }
  CHECK(misses(errors).empty());
}

TEST_CASE("every MLPerf benchmark is scored and MLBench's assumed tables are not") {
  std::vector<std::string> names;
  for (const auto& b : convergence_errors().benchmarks) names.push_back(b.benchmark);
  CHECK(names == std::vector<std::string>{"bert", "dlrm", "gnmt", "maskrcnn", "minigo", "resnet", "rnnt", "ssd",
                                          "transformer", "unet3d"});
}

TEST_CASE("a table beyond the bound is a miss and says so") {
  const auto errors = convergence_errors({table(point(100, 10, "A") + point(200, 40, "A") + point(300, 20, "A"))});
  CHECK(misses(errors).size() == 2);
  CHECK_THAT(page_text(convergence_page(errors), {}), ContainsSubstring("missed: a row left out"));
  const auto json = nlohmann::json::parse(to_json(errors));
  CHECK(json.at("misses").size() == 2);
  CHECK(json.at("all").at("row").at("count") == 3);
  CHECK(json.at("benchmarks").at(0).at("benchmark") == "toy");
}
