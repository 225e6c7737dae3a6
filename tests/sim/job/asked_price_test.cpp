#include "sim/job/asked_price.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"
#include "tests/sim/job/resnet_job.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

double per_hour(const std::string& topology, const Settings& settings) {
  const auto price = asked_price(options_of(settings).price, build_cluster(topology));
  REQUIRE(price);
  return price->value.value * 3600;
}

void check_refused(const std::string& topology, const Settings& settings, const std::string& phrase) {
  INFO(topology << " " << phrase);
  const Cluster cluster = build_cluster(topology);
  CHECK_THROWS_AS(asked_price(options_of(settings).price, cluster), InputError);
  CHECK_THROWS_WITH(asked_price(options_of(settings).price, cluster), ContainsSubstring(phrase));
}

}  // namespace

TEST_CASE("the settings choose kind, date and region of the price") {
  CHECK(per_hour("tpu-v2-8", {}) == Approx(4.595));
  CHECK(per_hour("tpu-v2-8", {{"price_date", "2018-04"}}) == Approx(6.595));
  CHECK(per_hour("tpu-v3-8", {{"price", "preemptible"}, {"price_region", "europe-west4"}}) == Approx(2.244));
}

TEST_CASE("a price that is asked for and not known is refused with what is known") {
  check_refused("oci-bm.gpu4.8", {{"price", "preemptible"}},
                "--set price=preemptible: no preemptible price of oci-bm.gpu4.8:nodes=1 is known at any time; "
                "what is known is 24.4 USD/h on-demand");
  check_refused("dgx2", {{"price_date", "2018-12"}}, "--set price_date=2018-12: no on-demand price of dgx2");
  check_refused("gce-v100", {{"price_date", "2016-05"}}, "the nearest date with one is 2018-01");
  check_refused("gce-v100", {{"price_region", "asia-east1"}}, "in the region asia-east1; known are us-central1");
  CHECK_FALSE(asked_price({}, build_cluster("dgx2")));
}

TEST_CASE("a price of the user's own wins over the list, at all dates and in all regions") {
  CHECK(per_hour("p5:nodes=2", {{"own_price", "p5=98USD/h"}}) == Approx(196));
  CHECK(per_hour("p5", {{"own_price", "p5=98USD/h"}, {"price_date", "2016-05"}}) == Approx(98));
  CHECK(per_hour("p5", {{"own_price", "h100=1USD/h:preemptible,p5=98USD/h"}, {"price", "preemptible"}}) == Approx(8));
  CHECK(per_hour("dgx2", {{"own_price", "dgx2=16USD/h"}}) == Approx(16));
  PriceOptions options;
  options.listed = {parse_own_price("p5=50USD/h")};
  const auto hourly = [&] { return asked_price(options, build_cluster("p5"))->value.value * 3600; };
  CHECK(hourly() == Approx(50));
  options.own = {parse_own_price("h100=1USD/h")};  // one that is typed before one of a list
  CHECK(hourly() == Approx(8));
}

TEST_CASE("dates and regions are checked before anything is predicted") {
  CHECK_THROWS_WITH(parse_options("price_date=2018"), ContainsSubstring("is no date; write 2018-12"));
  CHECK_THROWS_WITH(parse_options("price_date=2018-13"), ContainsSubstring("no such month"));
  CHECK_THROWS_WITH(parse_options("price_region=us-centrall"), ContainsSubstring("did you mean \"us-central1\""));
}

TEST_CASE("a prediction says what it pays, and what the index is made of") {
  const Prediction two = resnet_job({}, "gce-v100:nodes=2");
  REQUIRE(two.price);
  CHECK(two.price->value * 3600 == Approx(2 * 22.88));
  const auto& last = two.provenance;
  const auto price = std::find_if(last.begin(), last.end(), [](const auto& e) { return e.figure == "price"; });
  REQUIRE(price != last.end());
  CHECK_THAT(price->value.text, ContainsSubstring("on-demand, us-central1: 2 x gcp-n1-standard-64"));
  CHECK_FALSE(price->source.date.empty());
}

TEST_CASE("without a target the price index follows from price and speedup alone") {
  const Prediction p = resnet_job({{"epochs", "1"}}, "gce-v100");
  REQUIRE(p.price_index);
  const double one = 3.04 + 2.48, all = 22.88;  // the VM comes with a single GPU too
  CHECK(p.price_index->performance_increase == Approx(p.speedup));
  CHECK(p.price_index->price_increase == Approx(all / one / p.speedup));
  CHECK(p.price_index->value() == Approx(all / one / (p.speedup * p.speedup)));
}

TEST_CASE("with a target the price index counts the samples that a larger batch takes") {
  const Prediction p = resnet_job({}, "gce-v100:nodes=32");
  REQUIRE(p.price_index);
  REQUIRE(p.job);
  CHECK(p.price_index->performance_increase < 0.9 * p.speedup);  // 16384 against 64 samples a step
  CHECK(p.price_index->value() == Approx(p.price_index->price_increase / p.price_index->performance_increase));
}

TEST_CASE("one accelerator has no price index, nor has a system without a price") {
  CHECK_FALSE(resnet_job({}, "gke-t4").price_index);
  CHECK_FALSE(resnet_job({}, "dgx2").price_index);
  CHECK(resnet_job({}, "gke-t4:nodes=4").price_index);
}

namespace {

// GNMT as MLBench trains it, 2048 pairs a step in micro-batches of 128.
Prediction translation_job(int nodes) {
  PredictRequest request;
  request.topology = "gke-t4:nodes=" + std::to_string(nodes);
  request.workload = "gnmt-mlbench";
  request.precision = Precision::fp16;
  request.global_batch = 2048;
  request.fidelity = Fidelity::closed;
  request.options =
      sim::options_of({{"accumulation", std::to_string(16 / nodes)}, {"communicator", "nccl"}, {"optimizer", "adam"}});
  return sim::predict(request);
}

}  // namespace

TEST_CASE("the price index of a given global batch has the run on one accelerator at that batch as its base") {
  const Prediction one = translation_job(1);
  for (const int nodes : {2, 4, 8, 16}) {
    INFO(nodes << " nodes");
    const Prediction many = translation_job(nodes);
    REQUIRE(many.price_index);
    const double speedup = one.step.time / many.step.time;
    CHECK(many.price_index->performance_increase == Approx(speedup));
    CHECK(many.price_index->value() == Approx(nodes / (speedup * speedup)));
  }
}
