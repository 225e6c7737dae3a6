#include "studies/compare/published_run.hpp"

#include <algorithm>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "namespace.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"
#include "validation/cases/cases.hpp"

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

TEST_CASE("an anchor is predicted without its own row, and by another's words where it is the only one") {
  // The one row of its stack: with it, its rate would come back to the percent.
  const auto& anchors = published_anchors();
  const auto alone = std::find_if(anchors.begin(), anchors.end(), [&](const ParsedAnchor& a) {
    const auto same = [&](const ParsedAnchor& b) { return b.options.software.stack == a.options.software.stack; };
    return !a.options.software.stack.empty() && std::count_if(anchors.begin(), anchors.end(), same) == 1;
  });
  REQUIRE(alone != anchors.end());
  PredictRequest request = request_on(alone->topology, alone->workload, "stack=" + alone->options.software.stack);
  request.accelerators = alone->accelerators;
  request.global_batch = alone->global_batch;
  request.precision = alone->precision;
  INFO(alone->id);
  const Prediction answer = predict(request);
  CHECK(answer.trust.level <= TrustLevel::good);
  const auto run = nearest_published_run(request, answer);
  REQUIRE(run);
  CHECK(run->accelerators == alone->accelerators);
  REQUIRE(run->predicted);
  CHECK(std::abs(run->error()) > 0.001);
}

TEST_CASE("a stack that is named is compared with its own runs") {
  const auto run = nearest_to(request_on("dgx-a100", "bert-large", "stack=dle-pytorch-2021-07-14"));
  REQUIRE(run);
  CHECK(run->id.starts_with("dle-pytorch-2021-07-14"));
  CHECK(run->metric == "throughput");
  CHECK(run->predicted);
}

TEST_CASE("a network of which no run is published has no nearest one") {
  CHECK_FALSE(nearest_to(request_on("dgx-a100", "googlenet")));
}

TEST_CASE("longer samples make no other network, but another size does") {
  PredictRequest request = request_on("dgx-h100:nodes=64", "llama3-70b");
  Prediction answer = predict(request_on("dgx-h100:nodes=64", "llama3-70b", "sharding=parameters"));
  answer.inputs.sequence = 8192;
  const auto run = nearest_published_run(request, answer);
  REQUIRE(run);
  INFO(run->id << " " << run->workload);
  CHECK(run->workload.starts_with("llama-3-70b"));
  answer.inputs.sequence = 4096;
  const auto shorter = nearest_published_run(request, answer);
  REQUIRE(shorter);
  CHECK(shorter->workload.find("sequence=4096") != std::string::npos);
}

TEST_CASE("a language model is set beside the steps of its own sizes, those of its accelerator first") {
  const PredictRequest request = request_on("dgx-h100:nodes=8", "llama3-70b", "sharding=parameters");
  const auto runs = comparable_runs(request, predict(request), 10);
  REQUIRE(runs.size() == 10);
  CHECK(runs.front().what.topology.starts_with("dgx-h100"));
  for (const auto& run : runs) {
    INFO(run.what.id);
    CHECK(run.what.workload.starts_with("llama-3-70b"));
    CHECK(run.what.workload.find("layers=") == std::string::npos);
    CHECK(run.what.metric == Metric::step_time);
  }
}
