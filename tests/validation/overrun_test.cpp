// Trainings to an end take longer than their steps: by how much is the median of those of language models on A100, and
// of half of those of other networks.
#include <algorithm>
#include <cmath>
#include <vector>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "sim/job/job_clock.hpp"
#include "validation/scores/validate.hpp"
#include "workloads/model/model.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

// Networks of a benchmark have no overrun.
std::vector<Case> trainings(const std::string& source, Role role) {
  std::vector<Case> cases;
  for (const Case& row : published_cases())
    if (row.source == source && row.role == role && load_model(row.workload).benchmark.empty()) cases.push_back(row);
  return cases;
}

// Gives the logs of what the trainings took over what their steps alone take.
std::vector<double> logs_over_steps(std::vector<Case> cases) {
  for (Case& each : cases) {
    each.options.job.overrun = 0;
    each.role = Role::check;  // an input is not predicted
  }
  ValidationOptions options;
  options.profiles = builtin_profiles();
  std::vector<double> logs;
  for (const CaseResult& result : validate_published(cases, options).cases) {
    INFO(result.what.id);
    REQUIRE(result.predicted);
    logs.push_back(std::log(result.what.value / *result.predicted));
  }
  std::sort(logs.begin(), logs.end());
  return logs;
}

}  // namespace

TEST_CASE("the usual overrun is the median of the trainings it is of, and those held back took about as much more") {
  const auto [source, usual] = GENERATE(std::pair("Trainings to an end", kOverrunOfLanguageModels),
                                        std::pair("Trainings of other networks", kOverrunOfOthers));
  INFO(source);
  const std::vector<double> fitted = logs_over_steps(trainings(source, Role::input));
  const std::vector<double> held_back = logs_over_steps(trainings(source, Role::check));
  REQUIRE(fitted.size() >= 15);
  REQUIRE(held_back.size() >= 15);
  const auto median = [](const std::vector<double>& sorted) { return std::exp(sorted[sorted.size() / 2]); };
  CHECK(median(fitted) == Approx(1 + usual.share).epsilon(0.05));
  CHECK(median(held_back) == Approx(1 + usual.share).epsilon(0.25));
  double squares = 0;
  for (const double log : fitted) squares += std::pow(log - std::log(1 + usual.share), 2);
  CHECK(std::sqrt(squares / double(fitted.size())) == Approx(usual.log_spread).epsilon(0.1));
}
