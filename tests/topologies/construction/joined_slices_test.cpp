#include "catch.hpp"
#include "core/text/errors.hpp"
#include "namespace.hpp"
#include "topologies/cluster/place.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

BytesPerSecond rate_between(const Cluster& cluster, std::uint32_t from, std::uint32_t to) {
  const auto [begin, end] = boost::edges(cluster.graph);
  for (auto edge = begin; edge != end; ++edge)
    if (boost::source(*edge, cluster.graph) == from && boost::target(*edge, cluster.graph) == to)
      return cluster.graph[*edge].bandwidth;
  return {};
}

}  // namespace

TEST_CASE("three slices of a TPU v5e are boxes of a grid that its hosts' NICs join") {
  const Cluster cluster = build_cluster("tpu-v5e-pod:slice=4x4:slices=3");
  CHECK(cluster.ranks() == 48);
  CHECK(cluster.slices == 3);
  CHECK(cluster.accelerators_per_node == 16);
  CHECK(size_text(*cluster.grid) == "4x4x3");
  // A host of 8 chips has 25 GB/s: each chip an eighth, half of it in each direction of a ring.
  CHECK(rate_between(cluster, 0, 16).value == Approx(25e9 / 8 / 2));
  CHECK(rate_between(cluster, 0, 32).value == Approx(25e9 / 8 / 2));
  CHECK(rate_between(cluster, 0, 1).value == Approx(50e9));
  CHECK(rate_between(cluster, 0, 17).value == 0);
  CHECK(rate_between(build_cluster("tpu-v5e-pod:slices=2"), 0, 256).value == Approx(25e9 / 8));
  CHECK(cluster.injection == build_cluster("tpu-v5e-pod:slice=4x4").injection);
  CHECK(cluster.hosts == 6);
  CHECK(cluster.bill.front().count == 48);
  CHECK(build_cluster(cluster.name).name == cluster.name);
}

TEST_CASE("accelerators fill whole slices, or a part of one") {
  CHECK(build_cluster("tpu-v5e-pod:slices=4", 512).slices == 2);
  CHECK(build_cluster("tpu-v5e-pod:slices=4", 64).name == build_cluster("tpu-v5e-pod", 64).name);
  CHECK(build_cluster("tpu-v5e-pod:slices=1").name == build_cluster("tpu-v5e-pod").name);
  CHECK_THROWS_WITH(build_cluster("tpu-v5e-pod:slices=4", 600), ContainsSubstring("512 do"));
  CHECK_THROWS_WITH(build_cluster("tpu-v5e-pod:slices=4", 2048), ContainsSubstring("1024 do"));
  CHECK_THROWS_WITH(build_cluster("tpu-v5e-pod:slice=8x8", 128),
                    ContainsSubstring("64 accelerators, not 128; with slices=2"));
  CHECK_THROWS_WITH(build_cluster("tpu-v5e-pod", 1024), ContainsSubstring("not 1024; with slices=4 it does"));
}

TEST_CASE("slices are named as people and tables name them") {
  const std::string four = build_cluster("tpu-v5e-pod:slices=4").name;
  for (const std::string name : {"4xv5e-256", "4 x TPU-v5e-256", "1024xv5e", "tpu-v5e-256:slices=4"})
    CHECK(build_cluster(name).name == four);
  CHECK(build_cluster("2xv6e-64").name == build_cluster("tpu-trillium-pod:slice=8x8:slices=2").name);
}

TEST_CASE("slices of three dimensions have a fourth, which counts them") {
  const Cluster palm = build_cluster("6144xv4");
  CHECK(palm.name == build_cluster("tpu-v4-pod:slice=12x16x16:slices=2").name);
  CHECK(palm.ranks() == 6144);
  CHECK(size_text(*palm.grid) == "12x16x16x2");
  CHECK(palm.accelerators_per_node == 3072);
  CHECK(palm.hosts == 1536);
  CHECK(rate_between(palm, 0, 3072).value == Approx(1.65e9));
  CHECK(rate_between(palm, 0, 12 * 16).value == Approx(50e9));
  CHECK(rate_between(palm, 0, 11).value == Approx(50e9));  // whole cubes wrap
  CHECK(place_name(palm, palm.rank_vertex.back()) == "x11y15z15s1");
  CHECK(find_place(palm, "x11y15z15s1") == palm.rank_vertex.back());
  CHECK(build_cluster("18432xv5p").name == build_cluster("tpu-v5p-pod:slice=16x16x24:slices=3").name);
  CHECK_THROWS_WITH(build_cluster("tpu-v4-pod", 6144), ContainsSubstring("with slice=12x16x16:slices=2 it does"));
}

TEST_CASE("slices of chips whose network is not known are refused") {
  CHECK_THROWS_WITH(build_cluster("tpu-v3-32:slices=2"),
                    ContainsSubstring("slices of tpu-v3; it is of tpu-7x, tpu-trillium, tpu-v4, tpu-v5e, tpu-v5p"));
  CHECK_THROWS_WITH(build_cluster("dgx-h100:slices=2"), ContainsSubstring("is for grids"));
  CHECK_THROWS_WITH(build_cluster("tpu-v5e:slices=0"), ContainsSubstring("smallest possible value"));
}
