#include "topologies/prices.hpp"

#include "catch.hpp"
#include "topologies/catalogue.hpp"

using namespace mlsim;

namespace {

double per_hour(const std::string& name, int accelerators = 0, PriceKind kind = PriceKind::on_demand) {
  const auto price = system_price(build_cluster(name, accelerators), kind);
  REQUIRE(price);
  CHECK_FALSE(price->source.source.empty());
  return price->value.value * 3600;
}

bool priced(const std::string& name, PriceKind kind = PriceKind::on_demand) {
  return system_price(build_cluster(name), kind).has_value();
}

}  // namespace

TEST_CASE("a TPU v2 pod costs 384 USD an hour and eight V100 on Google Cloud 22.88") {
  CHECK(per_hour("torus16x16") == Approx(384));
  CHECK(per_hour("gce-v100") == Approx(3.04 + 8 * 2.48));
  CHECK(per_hour("gce-v100") == Approx(22.88));
  CHECK(per_hour("gce-v100", 0, PriceKind::preemptible) == Approx(0.64 + 8 * 0.74));
}

TEST_CASE("16 TPU v3 chips cost 32 USD an hour, 9.60 preemptible") {
  CHECK(per_hour("torus32x32", 16) == Approx(32));
  CHECK(per_hour("torus32x32", 16, PriceKind::preemptible) == Approx(9.6));
  CHECK(per_hour("torus4x4:accelerator=tpu-v3") == Approx(32));
  CHECK(per_hour("torus32x32") == Approx(2048));
}

TEST_CASE("four TPU v2 chips come with their VM, and fewer cost as much") {
  CHECK(per_hour("torus2x2:accelerator=tpu-v2") == Approx(4.595));
  CHECK(per_hour("torus16x16", 1) == Approx(4.595));
  CHECK(per_hour("torus16x16", 16) == Approx(24));
}

TEST_CASE("nodes are billed by the node, GPUs of Google Cloud one by one") {
  CHECK(per_hour("p3.16xlarge") == Approx(24.48));
  CHECK(per_hour("p3.16xlarge", 1) == Approx(24.48));
  CHECK(per_hour("ec2-p2:nodes=8") == Approx(8 * 7.2));
  CHECK(per_hour("gce-v100", 4) == Approx(3.04 + 4 * 2.48));
  CHECK(per_hour("gke-t4") == Approx(0.5592));
  CHECK(per_hour("gke-t4", 0, PriceKind::preemptible) == Approx(0.154));
  CHECK(per_hour("gke-t4:nodes=16") == Approx(16 * 0.5592));
}

TEST_CASE("machines that no cloud rents have no price, or an equivalent that is marked assumed") {
  CHECK_FALSE(priced("dgx2"));
  CHECK_FALSE(priced("dgx-h100"));
  CHECK_FALSE(priced("torus8x8:accelerator=tpu-v4"));
  CHECK_FALSE(priced("torus16x16", PriceKind::preemptible));
  CHECK_FALSE(priced("gce-v100:accelerator=v100-sxm2-32gb"));
  const auto price = system_price(build_cluster("dgx-a100"), PriceKind::on_demand);
  REQUIRE(price);
  CHECK(price->source.provenance == Provenance::assumed);
  CHECK_THAT(price->source.source, Catch::Matchers::ContainsSubstring("p4d.24xlarge"));
}

TEST_CASE("every price has a source, a date and at least one figure") {
  CHECK(price_entries().size() >= 20);
  for (const auto& entry : price_entries()) {
    INFO(entry.resource);
    CHECK((entry.on_demand || entry.preemptible));
    CHECK_FALSE(entry.source.source.empty());
    CHECK_FALSE(entry.source.date.empty());
    if (entry.on_demand && entry.preemptible) CHECK(*entry.preemptible < *entry.on_demand);
  }
}
