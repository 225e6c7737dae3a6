#include "topologies/system_facts.hpp"

#include <algorithm>

#include "catch.hpp"
#include "core/text/errors.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("a machine has the network of its adapters whether it stands alone or not") {
  const SystemFacts one = system_facts("dgx-a100"), two = system_facts("dgx-a100:nodes=2");
  CHECK(one.network.value == Approx(8 * 200e9 / 8));  // eight adapters of 200 Gbit/s
  CHECK(two.network.value == one.network.value);
  CHECK(two.accelerators == 16);
  CHECK(two.nodes == 2);
  REQUIRE(one.price);
  CHECK(two.price->value.value == Approx(2 * one.price->value.value));
}

TEST_CASE("a system's cloud is who rents it out") {
  CHECK(system_facts("p4d").cloud == "aws");
  CHECK(system_facts("a2-highgpu-8g").cloud == "gcp");
  CHECK(system_facts("tpu-v3-32").cloud == "gcp");
  CHECK(system_facts("azure-nd40s-v2").cloud == "azure");
  CHECK(system_facts("dgx-a100").cloud.empty());
  CHECK_THROWS_AS(system_facts("p4e"), InputError);
}

TEST_CASE("every topology has facts, and each cloud has one") {
  const auto all = all_system_facts();
  CHECK(all.size() == topology_entries().size());
  for (const SystemFacts& system : all) {
    INFO(system.name);
    CHECK(system.accelerators >= 1);
    CHECK(system.accelerator.memory.value.value > 0);
  }
  for (const std::string& cloud : cloud_names()) {
    INFO(cloud);
    CHECK(std::any_of(all.begin(), all.end(), [&](const SystemFacts& system) { return system.cloud == cloud; }));
  }
}
