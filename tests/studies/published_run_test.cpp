#include "studies/published_run.hpp"

#include <algorithm>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "namespace.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"
#include "validation/cases.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

PredictRequest request_on(const std::string& topology, const std::string& workload, const std::string& settings = "") {
  PredictRequest request;
  request.topology = topology;
  request.workload = workload;
  request.options = parse_options(settings);
  request.builtin_profiles = builtin_profiles();
  request.anchors = published_anchors();
  return request;
}

std::optional<PublishedRun> nearest_to(const PredictRequest& request) {
  return nearest_published_run(request, predict(request));
}

}  // namespace

TEST_CASE("the published run of the very system comes first, a time where there is a target") {
  const auto run = nearest_to(request_on("torus128x32", "resnet50"));
  REQUIRE(run);
  CHECK(run->source.starts_with("Multipod 2021"));
  CHECK(run->metric == "time_to_accuracy");
  CHECK(run->published == Approx(28.8));
  REQUIRE(run->predicted);
  CHECK(std::abs(run->error()) < 0.15);
  CHECK(std::find(run->differs.begin(), run->differs.end(), "machine") == run->differs.end());
}

TEST_CASE("an anchor is predicted without its own row") {
  PredictRequest request = request_on("dgx-a100-80gb:nodes=1", "resnet50", "stack=mlperf-v1.1");
  request.global_batch = 3264;
  const auto run = nearest_to(request);
  REQUIRE(run);
  REQUIRE(run->predicted);
  const auto& cases = published_cases();
  const auto its = std::find_if(cases.begin(), cases.end(), [&](const Case& c) { return c.id == run->id; });
  REQUIRE(its != cases.end());
  // With its own rate among the anchors it would come back to the percent (tests/validation, "an anchor's own speed").
  for (const Case& c : cases) {
    if (c.role != Role::anchor || c.metric != Metric::throughput || c.global_batch != run->global_batch) continue;
    if (c.id != run->id) continue;
    CHECK(std::abs(run->error()) > 1e-6);
  }
}

TEST_CASE("a stack that is named is compared with its own runs") {
  const auto run = nearest_to(request_on("dgx-a100", "bert-large", "stack=dle-pytorch-2021-07-14"));
  REQUIRE(run);
  CHECK(run->id.starts_with("dle-pytorch-2021-07-14"));
  CHECK(run->metric == "throughput");
  CHECK(run->predicted);
}

TEST_CASE("a network of which no run is published has no nearest one") {
  CHECK_FALSE(nearest_to(request_on("dgx-a100", "gpt2")));
}
