#include "validation/scores/row_figures.hpp"

#include <map>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "validation/scores/validate.hpp"

using namespace mlsim;
using namespace mlsim::validation;
using namespace mlsim::test;

TEST_CASE("a job asked at the rate that its time gives takes that time") {
  std::vector<Case> cases;
  for (const Case& c : published_cases())
    if (c.id == "mlperf-v0.7-dgxa100-ngc20-06-pytorch-bert-time" || c.role == Role::anchor) cases.push_back(c);
  const auto rates = time_rates(cases, builtin_profiles());
  REQUIRE(rates.size() == 1);
  const Case& time = *rates.front().row;
  PredictRequest request = request_of(time, {{}, published_anchors(), builtin_profiles()}, {});
  request.options.job.throughput = rates.front().rate;
  CHECK(predict(request).time_to_target->value == Approx(time.value).epsilon(1e-4));
}

TEST_CASE("the table of rates is what the times give, an anchor for each") {
  std::map<std::string, const Case*> stored;
  for (const Case& c : published_cases())
    if (c.role == Role::anchor && c.id.ends_with("-rate")) stored[c.id] = &c;
  const auto rates = time_rates(published_cases(), builtin_profiles());
  CHECK(rates.size() >= 10);
  CHECK(stored.size() == rates.size());
  for (const auto& [row, rate] : rates) {
    INFO(row->id << ": mlsim validate rates --output validation/published/mlperf_rates_of_times.csv");
    REQUIRE(stored.contains(rate_id(row->id)));
    const Case& anchor = *stored[rate_id(row->id)];
    CHECK(anchor.value == Approx(rate.value).epsilon(0.005));
    CHECK(anchor.topology == row->topology);
    CHECK(anchor.source == row->source);  // hidden with it
  }
}

TEST_CASE("a time that no rate explains is refused with its line") {
  const std::vector<Case> cases = parse_cases(
      "id,source,topology,accelerators,workload,precision,global_batch,options,metric,value,unit,relative_uncertainty,"
      "role,citation\n"
      "short-time,A table,dgx-a100,8,resnet50,fp16,3264,recipe=v0.7-lars-mxnet,time_to_accuracy,0.01,s,,input,nobody\n",
      "own.csv");
  CHECK_THROWS_WITH(time_rates(cases, builtin_profiles()), Catch::Matchers::ContainsSubstring("own.csv:2"));
}
