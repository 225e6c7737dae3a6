#include "studies/compare/scaling.hpp"

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "namespace.hpp"
#include "sim/answer/predict.hpp"
#include "studies/compare/published_run.hpp"
#include "validation/cases/cases.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Sizes of which each has taken this long; 0: refused.
std::vector<JobPoint> sizes_with(const std::vector<std::pair<int, double>>& times) {
  std::vector<JobPoint> points;
  for (const auto& [size, time] : times) {
    JobPoint& point = points.emplace_back();
    point.accelerators = size;
    if (time == 0) continue;
    point.prediction.emplace();
    point.prediction->inputs.accelerators = size;
    point.prediction->time_to_target = Seconds(time);
    point.prediction->job.emplace();
    point.prediction->job->billed = Seconds(time);
  }
  return points;
}

PredictRequest question(const std::string& topology) {
  PredictRequest request;
  request.topology = topology;
  request.workload = "resnet50";
  request.builtin_profiles = builtin_profiles();
  request.anchors = published_anchors();
  return request;
}

}  // namespace

TEST_CASE("sizes are powers of two and halves of the whole") {
  CHECK(scaling_sizes(1) == std::vector<int>{1});
  CHECK(scaling_sizes(8) == std::vector<int>{1, 2, 4, 8});
  CHECK(scaling_sizes(24) == std::vector<int>{1, 2, 3, 4, 6, 8, 12, 16, 24});
}

TEST_CASE("the knee has the least time times accelerator time") {
  // time x time x accelerators: 10 000, 5 000, 3 600, 5 000.
  CHECK(knee_of(sizes_with({{1, 100}, {2, 50}, {4, 30}, {8, 25}})) == 2);
  CHECK(knee_of(sizes_with({{1, 100}, {2, 99}})) == 0);
  CHECK(knee_of(sizes_with({{1, 100}, {2, 50}, {4, 25}})) == 2);
  CHECK(knee_of(sizes_with({{1, 0}, {2, 50}, {4, 25}, {8, 24}})) == 2);
  CHECK(knee_of(sizes_with({{1, 0}, {2, 50}})) == std::nullopt);
}

TEST_CASE("start-up that is billed at every accelerator moves the knee to fewer") {
  auto sizes = sizes_with({{1, 100}, {2, 52}, {4, 30}});
  CHECK(knee_of(sizes) == 2);  // 100 x 100, 52 x 52 x 2, 30 x 30 x 4
  for (JobPoint& size : sizes) size.prediction->job->billed += Seconds(1000);
  CHECK(knee_of(sizes) == 1);  // 100 x 1100, 52 x 1052 x 2, 30 x 1030 x 4
}

TEST_CASE("each size and batch of a scaling is predict's own answer") {
  PredictRequest request = question("dgx-a100");
  CHECK(scaling(request, predict(request), {{4, 8}, 2, {}}).batches.empty());  // the batch is chosen, and there is one
  request.global_batch = 2048;
  const Prediction answer = predict(request);
  const Scaling study = scaling(request, answer, {{}, 2, {}});
  REQUIRE(study.sizes.size() == 4);
  PredictRequest two = request;
  two.accelerators = 2;
  two.one_of_many = true;
  REQUIRE(study.sizes[1].prediction);
  CHECK(to_json(*study.sizes[1].prediction) == to_json(predict(two)));
  CHECK(to_json(*study.sizes[3].prediction) == to_json(answer));
  REQUIRE(!study.batches.empty());
  for (const JobPoint& point : study.batches) {
    CHECK(point.prediction->inputs.global_batch == point.global_batch);
    CHECK(point.prediction->inputs.accelerators == point.accelerators);
  }
}

TEST_CASE("a size that cannot be is left out with its reason") {
  PredictRequest request = question("dgx-a100:nodes=3");
  const Scaling study = scaling(request, predict(request), {{}, 2, {}});
  for (const JobPoint& size : study.sizes) {
    if (size.accelerators != 12) continue;
    CHECK(!size.prediction);
    CHECK_THAT(size.refusal, ContainsSubstring("12 accelerators"));
  }
}

TEST_CASE("published runs like a job are of its workload, about its size first, and predicted without themselves") {
  const PredictRequest request = question("dgx-a100:nodes=2");
  const Prediction answer = predict(request);
  const auto runs = comparable_runs(request, answer, 5);
  REQUIRE(runs.size() >= 3);
  for (const auto& run : runs) {
    CHECK(run.what.workload == "resnet50");
    CHECK(run.what.role == validation::Role::check);
    CHECK(run.predicted.has_value());
  }
  CHECK(runs.front().what.accelerators == 16);
}
