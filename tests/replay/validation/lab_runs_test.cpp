// Runs of ours on the lab, as they are stored and shown.
#include "replay/validation/lab_runs.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "catch.hpp"
#include "reports/pages/sections.hpp"
#include "reports/renderers/renderers.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

LabRun run_of(double predicted, double measured) { return {2, "50mbit", "s", Seconds(predicted), Seconds(measured)}; }

}  // namespace

TEST_CASE("the lab's runs are of a dozen configurations and more, whose parts add up to the error") {
  const LabRuns& lab = lab_runs();
  CHECK_THAT(lab.measured_on, ContainsSubstring("2026-"));
  CHECK(lab.runs.size() >= 12);
  std::set<std::string> steps;
  for (const LabRun& run : lab.runs) {
    INFO(run.hosts << " " << run.rate << " " << run.step);
    steps.insert(run.step);
    CHECK(run.measured > Seconds(0));
    CHECK(run.kernel + run.collective + run.contention + run.overlap == Approx(run.error()).margin(0.003));
  }
  CHECK(steps.size() >= 7);
}

TEST_CASE("a rank correlation is 1 for the same order, -1 for the reverse, and between with ties") {
  CHECK(rank_correlation({run_of(1, 10), run_of(2, 20), run_of(3, 90)}) == Approx(1));
  CHECK(rank_correlation({run_of(1, 30), run_of(2, 20), run_of(3, 10)}) == Approx(-1));
  CHECK(rank_correlation({run_of(1, 1), run_of(1, 2), run_of(2, 3), run_of(2, 4)}) == Approx(0.8944).epsilon(1e-4));
  CHECK_THROWS_AS(rank_correlation({run_of(1, 1)}), std::logic_error);
}

TEST_CASE("the scoreboard's section has a row for each run and their sum") {
  const std::string page = reports::page_markdown({"", {}, {reports::lab_runs_section(lab_runs())}, ""});
  CHECK_THAT(page, ContainsSubstring("## Real runs of ours"));
  CHECK(std::count(page.begin(), page.end(), '\n') == static_cast<long>(lab_runs().runs.size()) + 9);
  CHECK_THAT(page, ContainsSubstring("rank correlation (Spearman)"));
}
