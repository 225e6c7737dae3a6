#include <set>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "workloads/lowering/gradient_bucket.hpp"
#include "workloads/lowering/lowering.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("every gradient tensor is in exactly one bucket") {
  const Model model = load_model("resnet50");
  for (const double size : {0.0, 4.0, 1e6, 25e6, 1e12}) {
    StepPlan plan;
    plan.bucket = Bytes(size);
    std::multiset<std::string> tensors;
    double bytes = 0;
    std::int64_t parameters = 0;
    for (const auto& bucket : gradient_buckets(model, plan)) {
      tensors.insert(bucket.tensors.begin(), bucket.tensors.end());
      bytes += bucket.bytes.value;
      parameters += bucket.parameters;
    }
    CHECK(tensors.size() == 161);
    CHECK(std::set<std::string>(tensors.begin(), tensors.end()).size() == 161);
    CHECK(bytes == 4.0 * 25557032);
    CHECK(parameters == 25557032);
  }
}

TEST_CASE("buckets are released in the order of the backward pass") {
  const Model model = load_model("resnet50");
  int before = static_cast<int>(model.layers.size());
  for (const auto& bucket : gradient_buckets(model, StepPlan{})) {
    for (const int layer : bucket.layers) {
      CHECK(layer <= before);
      before = layer;
    }
    CHECK(bucket.last_layer == bucket.layers.back());
  }
  CHECK(model.layers[before].name == "stem.conv");
}

TEST_CASE("the first bucket of ResNet-50 is its classifier, the others close once they are full") {
  const auto buckets = gradient_buckets(load_model("resnet50"), StepPlan{});
  CHECK(buckets.front().tensors == std::vector<std::string>{"head.classifier.bias", "head.classifier.weight"});
  CHECK(buckets.front().bytes.value == 4 * (2048 * 1000 + 1000));
  for (std::size_t i = 1; i + 1 < buckets.size(); ++i) {
    CHECK(buckets[i].bytes >= mebibytes(25));
    CHECK(buckets[i].bytes < mebibytes(25) + Bytes(4.0 * 512 * 512 * 9));  // its largest tensor beside the classifier
  }
  CHECK(buckets.back().last_layer == 0);
}

TEST_CASE("half-width gradients fill buckets half as fast") {
  const Model model = load_model("resnet50");
  StepPlan full, half;
  half.gradient_element = Bytes(2);
  half.bucket = full.bucket / 2.0;
  half.first_bucket = full.first_bucket / 2.0;
  const auto a = gradient_buckets(model, full), b = gradient_buckets(model, half);
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i].bytes.value == 2 * b[i].bytes.value);
}

TEST_CASE("a bucket of no size holds one tensor, a huge one all but the first") {
  const Model model = load_model("resnet50");
  StepPlan plan;
  plan.bucket = plan.first_bucket = Bytes(0);
  CHECK(gradient_buckets(model, plan).size() == 161);
  plan.bucket = plan.first_bucket = Bytes(1e12);
  CHECK(gradient_buckets(model, plan).size() == 1);
}
