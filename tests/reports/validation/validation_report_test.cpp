// The text, JSON, markdown and board of one small validation.
#include <nlohmann/json.hpp>
#include <sstream>

#include "catch.hpp"
#include "reports/pages/pages.hpp"
#include "reports/renderers/renderers.hpp"
#include "reports/validation/value_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

CaseResult result(const std::string& id, Metric metric, double value) {
  CaseResult r;
  r.what.id = id;
  r.what.source = "Toy";
  r.what.metric = metric;
  r.what.value = value;
  return r;
}

CaseResult predicted(const std::string& id, double value, double prediction) {
  CaseResult r = result(id, Metric::throughput, value);
  r.predicted = prediction;
  r.interval = Interval{0.95 * prediction, 1.05 * prediction};
  r.distance = "own";
  return r;
}

CaseResult refused(const std::string& id, Metric metric) {
  CaseResult r = result(id, metric, 1);
  r.refusal = "16 GB are not enough";
  return r;
}

ValidationReport report_of(const std::vector<CaseResult>& cases, const ErrorBounds& bounds = {}) {
  return {{}, cases, group_scores(cases), bounds};
}

std::string text_of_report(const ValidationReport& report) { return page_text(validation_page(report), {}); }

std::string markdown_of_report(const ValidationReport& report) {
  return page_markdown({"", {}, published_sections(report), ""});
}

}  // namespace

TEST_CASE("the JSON has the keys of the published schema") {
  CaseResult anchor = predicted("own", 100, 100), check = predicted("x", 800, 720);
  anchor.what.role = Role::anchor;
  check.baselines[0] = 800;
  const auto json = nlohmann::json::parse(to_json(report_of({anchor, check, refused("big", Metric::throughput)})));
  const auto& x = json.at("cases").at(1);
  CHECK(x.at("id") == "x");
  CHECK(x.at("group") == "Toy");
  CHECK(x.at("metric") == "throughput");
  CHECK(x.at("value") == 800);
  CHECK(x.at("predicted") == 720);
  CHECK(x.at("relative_error").get<double>() == Approx(-0.1));
  CHECK(x.at("interval").size() == 2);
  CHECK(x.at("role") == "check");
  CHECK(x.at("distance") == "own");
  CHECK(x.at("linear") == 800);
  CHECK(json.at("cases").at(0).at("role") == "anchor");
  CHECK(json.at("cases").at(2).at("predicted").is_null());
  CHECK(json.at("cases").at(2).at("refused") == "16 GB are not enough");
  const auto& group = json.at("groups").at(0);
  CHECK(group.at("name") == "Toy");
  CHECK(group.at("count") == 1);
  CHECK(group.at("median_abs_error").get<double>() == Approx(0.1));
  CHECK(group.at("p90_abs_error").get<double>() == Approx(0.1));
  CHECK(group.at("max_abs_error").get<double>() == Approx(0.1));
  CHECK(group.at("bias").get<double>() == Approx(-0.1));
  CHECK(group.at("coverage") == 0);
  CHECK(json.at("passed") == false);
}

TEST_CASE("the text keeps within 80 columns and names what is beyond its bound") {
  const ErrorBounds bounds{{{"", Metric::throughput, {0.05, 0.5, 0}}}};
  const auto report =
      report_of({predicted(std::string(90, 'x'), 800, 720), refused("big", Metric::scaling_efficiency)}, bounds);
  const std::string text = text_of_report(report);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 80);
  }
  CHECK_THAT(text, ContainsSubstring("! beyond the bound: Toy: throughput: median 10.0 % above 5.0 %"));
  CHECK_THAT(markdown_of_report(report), ContainsSubstring("| Toy | throughput | 1 | 0 | 10.0 % |"));
}

TEST_CASE("a group of which nothing was predicted has no errors") {
  const auto report = report_of({refused("big", Metric::throughput)});
  CHECK_THAT(text_of_report(report), ContainsSubstring("Toy    throughput     0\n"));
  CHECK_THAT(markdown_of_report(report), ContainsSubstring("| Toy | throughput | 0 | 1 |  |  |  |  |  |  |") &&
                                             ContainsSubstring("| measured | 0 | - | - | - |"));
  const auto group = nlohmann::json::parse(to_json(report)).at("groups").at(0);
  for (const char* key : {"median_abs_error", "p90_abs_error", "max_abs_error", "bias", "coverage"})
    CHECK(group.at(key).is_null());
}

TEST_CASE("the board has every case by its id, to four digits") {
  CaseResult bare = predicted("c", 100, 99);
  bare.interval.reset();
  CHECK(board_csv(report_of({predicted("b", 800, 720.06), bare, refused("a-n2", Metric::step_time),
                             predicted("a", 12345.6, 12345.6)})) ==
        "id,metric,role,published,predicted,held\n"
        "a,throughput,check,1.235e+04,1.235e+04,yes\n"
        "a-n2,step_time,check,1,refused,-\n"
        "b,throughput,check,800,720.1,no\n"
        "c,throughput,check,100,99,-\n");
}
