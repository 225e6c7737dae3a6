#include "core/result/explanation.hpp"

#include "catch.hpp"
#include "schemas/json_schema.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

Explanation sample() {
  Explanation e;
  e.topology = "torus4x4";
  e.workload = "resnet50";
  e.accelerators = 16;
  e.step_time = Seconds(3);
  PathSegment pass, exchange;
  pass.what = "backward stage3";
  pass.nodes = 7;
  pass.end = pass.compute = Seconds(2);
  exchange.what = "all-reduce gradients 3";
  exchange.begin = Seconds(2);
  exchange.end = Seconds(3);
  exchange.communication = Seconds(1);
  e.path = {pass, exchange};
  e.resources = {{"matrix units", Seconds(2)}, {"ICI bandwidth", Seconds(1)}};
  e.elasticities = {{"ICI bandwidth", -1.0 / 3, "doubled", Seconds(2.5), 1.0 / 6, 1.2}};
  e.measure_next = {{"kernel matmul fp32 8 8 8", 0.25, "mlsim calibrate"}};
  return e;
}

}  // namespace

TEST_CASE("an explanation is written with SI units in its keys") {
  const std::string json = to_json(sample());
  CHECK_THAT(json, ContainsSubstring("\"step_time_s\": 3.0"));
  CHECK_THAT(json, ContainsSubstring("\"time_s\": 2.0"));
  CHECK_THAT(json, ContainsSubstring("\"saved_share\": 0.1666"));
  CHECK_THAT(json, ContainsSubstring("\"share_of_step\": 0.25"));
  const auto errors = schema_errors("core/result/explanation.schema.json", json);
  if (errors) CHECK_THAT(*errors, Catch::Matchers::Equals(""));
}
