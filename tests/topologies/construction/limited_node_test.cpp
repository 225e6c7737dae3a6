// Parts of racks, and boards with other memory or less power than the catalogue's.
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::topologies;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a rack is rented in equal parts of whole trays") {
  const Cluster two = build_cluster("gb200-nvl72", 128);
  CHECK(two.nodes == 2);
  CHECK(two.accelerators_per_node == 64);
  const Cluster sixteen = build_cluster("gb300-nvl72", 1024);
  CHECK(sixteen.nodes == 16);
  CHECK(sixteen.accelerators_per_node == 64);
  CHECK(build_cluster("gb200-nvl72", 144).accelerators_per_node == 72);
  CHECK_THROWS_WITH(build_cluster("gb200-nvl72", 101), ContainsSubstring("do not fill nodes of 72"));
  CHECK_THROWS_WITH(build_cluster("dgx-h100", 12), ContainsSubstring("do not fill nodes of 8"));
}

TEST_CASE("a lower limit of power slows what heats the chip, by its root") {
  const Cluster usual = build_cluster("dgx-h100"), limited = build_cluster("dgx-h100:power=350W:memory=96GB");
  const auto sustained = [](const Cluster& cluster, Precision precision) {
    return cluster.accelerator.sustained_products.at(precision).value;
  };
  CHECK(sustained(limited, Precision::bf16) / sustained(usual, Precision::bf16) == Approx(std::sqrt(0.5)));
  CHECK(limited.accelerator.memory.value == Bytes(96e9));
  CHECK(limited.name == "dgx-h100:power=350W:memory=96GB:nodes=1");
  CHECK(build_cluster(limited.name).accelerator.memory.value == Bytes(96e9));
}

TEST_CASE("a limit that says nothing is refused") {
  CHECK_THROWS_WITH(build_cluster("dgx-h100:power=350"), ContainsSubstring("power=500W"));
  CHECK_THROWS_WITH(build_cluster("dgx-h100:power=900W"), ContainsSubstring("at most 700 W"));
  CHECK_THROWS_AS(build_cluster("gke-cpu:power=200W"), InputError);
  CHECK_THROWS_AS(build_cluster("torus4x4:power=200W"), InputError);
}
