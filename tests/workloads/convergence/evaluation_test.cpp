// When jobs evaluate and what each evaluation takes off training.
#include <cmath>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "workloads/convergence/convergence.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

Seconds pause(const std::string& benchmark, const std::string& recipe, const std::string& family, double throughput,
              double validation_samples, int accelerators) {
  const ConvergenceTable& table = convergence_table(benchmark);
  const EvaluationPause* found = table.pause(table.recipe(recipe), family);
  REQUIRE(found != nullptr);
  return evaluation_pause(*found, PerSecond(throughput), validation_samples, accelerators);
}

double count(const std::string& benchmark, const std::string& recipe, double epochs, double batch) {
  const Recipe& r = convergence_table(benchmark).recipe(recipe);
  return r.evaluations.count(epochs, batch, r.samples_per_epoch);
}

}  // namespace

TEST_CASE("a pause is a fixed time and passes over the validation set") {
  // 5000 images at 1000/s are 5 s: 6.7 + 1.7 x 5.
  CHECK(pause("maskrcnn", "v1.0-sgd", "gpu", 1000, 5000, 8).value == Approx(15.2));
  CHECK(pause("ssd", "v0.7-sgd-gpu", "gpu", 1000, 5000, 8).value == Approx(0.33 + 16 * 5));
  CHECK(pause("unet3d", "v1.0-sgd", "gpu", 10, 42, 8).value == Approx(0.5 + 17 * 4.2));
}

TEST_CASE("on TPUs the pause of detection grows with a root of the pass, or takes what logs say of all sizes") {
  CHECK(pause("maskrcnn", "v0.6-sgd", "tpu", 1000, 5000, 16).value == Approx(34 * std::pow(5, 0.35)));
  CHECK(pause("ssd", "v0.7-sgd-tpu", "tpu", 1000, 5000, 16).value == Approx(5 * std::pow(5, 0.35)));
  CHECK(pause("maskrcnn", "v0.7-sgd", "tpu", 5000, 5000, 16).value == Approx(5));
  CHECK(pause("ssd", "v0.6-sgd-tpu", "tpu", 5000, 5000, 16).value == Approx(5.8));
}

TEST_CASE("beam search takes a time by accelerators, not by throughput") {
  CHECK(pause("gnmt", "v0.6-adam-gpu", "gpu", 1, 3003, 8).value == Approx(0.53 + 1.64));
  CHECK(pause("gnmt", "v0.6-adam-gpu", "gpu", 1e6, 3003, 16).value == Approx(0.53 + 0.82));
  CHECK(pause("transformer", "v0.6-adam-gpu", "gpu", 1, 3003, 80).value == Approx(0.9 + 0.62));
  CHECK(pause("transformer", "v0.7-adam-tpu", "tpu", 1, 3003, 4096).value == Approx(0.26));
}

TEST_CASE("a pause of any family holds where the family has none of its own") {
  CHECK(pause("dlrm", "v0.7-sgd", "gpu", 1e6, 1e6, 8).value == Approx(0.3));
  CHECK(pause("dlrm", "v0.7-sgd", "other", 1e6, 1e6, 8).value == Approx(0.3));
  const ConvergenceTable& resnet = convergence_table("resnet");
  CHECK(resnet.pause(resnet.recipe("v0.7-lars-tf"), "other")->source.provenance == Provenance::assumed);
  CHECK(resnet.pause(resnet.recipe("v0.5-sgd"), "tpu") == nullptr);
}

TEST_CASE("a pause without throughput or accelerators is refused") {
  CHECK_THROWS_AS(evaluation_pause({}, PerSecond(0), 1, 1), InputError);
  CHECK_THROWS_AS(evaluation_pause({}, PerSecond(1), 1, 0), InputError);
}

TEST_CASE("jobs evaluate as often as the logs say") {
  CHECK(count("resnet", "v0.7-lars-mxnet", 56, 33280) == 14);
  CHECK(count("ssd", "v0.5-sgd", 49, 1024) == 3);
  CHECK(count("ssd", "v0.6-sgd-gpu", 50, 960) == 3);
  CHECK(count("ssd", "v0.6-sgd-gpu", 61, 1536) == 5);
  CHECK(count("ssd", "v0.6-sgd-tpu", 65, 1024) == 6);
  CHECK(count("ssd", "v0.6-sgd-tpu", 81, 2048) == 9);
  CHECK(count("ssd", "v0.7-sgd-gpu", 60, 1536) == 4);
  CHECK(count("ssd", "v1.0-sgd", 50, 912) == 10);
  CHECK(count("maskrcnn", "v1.0-sgd", 14.2, 96) == 14);
  CHECK(count("dlrm", "v0.7-sgd", 0.8999, 55296) == 18);
  CHECK(count("unet3d", "v1.0-sgd", 2382.5, 56) == 69);
}

TEST_CASE("BERT evaluates at distances that grow with the batch") {
  const Recipe& bert = convergence_table("bert").recipe("v1.0-lamb");
  const auto samples = [&](double batch) { return bert.evaluations.interval(batch, 1e6) * 1e6; };
  // 0.05 (230.23 B + 3e6) is 152 947, 185 363, 220 727 and 229 567.
  CHECK(samples(256) == Approx(150000));
  CHECK(samples(3072) == Approx(175000));
  CHECK(samples(6144) == Approx(200000));
  CHECK(samples(6912) == Approx(225000));
  CHECK(count("bert", "v1.0-lamb", 2.85, 448) == 19);  // 21.0465 minutes on 8 A100: 19 logged
  CHECK(count("bert", "v1.0-lamb", 3.15, 256) == 21);
}

TEST_CASE("a run ends on an evaluation, and never before the first") {
  EvaluationGrid grid;
  grid.every = 5;
  CHECK(grid.nearest(52.4, 50, 1, 1) == 50);
  CHECK(grid.nearest(52.6, 50, 1, 1) == 55);
  CHECK(grid.nearest(0.3, 1, 1, 1) == 5);
  grid.offset_chosen = true;
  CHECK(grid.nearest(35.9, 35, 1, 1) == 35);
  CHECK(grid.nearest(38, 35, 1, 1) == 40);
}
