#include "topologies/construction/grid_cluster.hpp"

#include <chrono>

#include "catch.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

/// Directed links of a dimension, by hand: an open line has size-1 links, a ring size; both directions.
std::size_t links_by_hand(int size, bool wraps, int lines) {
  const int each = size == 1 ? 0 : (wraps && size > 2) ? size : size - 1;
  return static_cast<std::size_t>(2 * each * lines);
}

std::size_t degree(const Cluster& cluster, std::uint32_t vertex) {
  const LinkRange range = links_from(cluster.graph, vertex);
  return range.last - range.first;
}

}  // namespace

TEST_CASE("a 4x4 torus has 64 directed links, four from each place") {
  const Cluster c = build_cluster("torus4x4");
  CHECK(c.ranks() == 16);
  CHECK(c.links() == 64);
  for (std::uint32_t v = 0; v < 16; ++v) CHECK(degree(c, v) == 4);
  CHECK(find_link(c.graph, 0, 1));
  CHECK(find_link(c.graph, 0, 3));
  CHECK(find_link(c.graph, 0, 4));
  CHECK(find_link(c.graph, 0, 12));
  CHECK_FALSE(find_link(c.graph, 0, 5));
}

TEST_CASE("a 4x3 mesh has corners with two links and no wrap") {
  const Cluster c = build_cluster("mesh4x3");
  CHECK(c.links() == 2 * (3 * 3 + 4 * 2));
  CHECK(degree(c, 0) == 2);
  CHECK(degree(c, 1) == 3);
  CHECK(degree(c, 5) == 4);
  CHECK_FALSE(find_link(c.graph, 0, 3));
}

TEST_CASE("a dimension of length 2 has one pair of links, one of length 1 none") {
  CHECK(build_cluster("torus2x1").links() == 2);
  CHECK(build_cluster("torus2x2").links() == 8);
  CHECK(build_cluster("torus1x1").links() == 0);
  CHECK(build_cluster("torus1x5").links() == 10);
  CHECK_FALSE(build_cluster("torus2x4").grid->front().wraps);
  CHECK(build_cluster("torus2x4").grid->back().wraps);
}

TEST_CASE("the multipod is a mesh along X and a ring along Y") {
  const Cluster c = build_cluster("torus128x32");
  CHECK(c.ranks() == 4096);
  CHECK_FALSE(c.grid->front().wraps);
  CHECK(c.grid->back().wraps);
  CHECK(c.links() == 2 * (127 * 32 + 128 * 32));
}

TEST_CASE("only the links between the pods of a multipod are longer") {
  const Cluster c = build_cluster("torus128x32");
  std::size_t longer = 0;
  for (LinkIndex i = 0; i < c.links(); ++i) {
    if (c.link(i).latency <= microseconds(1)) continue;
    ++longer;
    CHECK(c.link(i).bandwidth == gigabytes_per_second(82));
  }
  CHECK(longer == 2 * 3 * 32);  // three gaps, 32 rows, both directions
  for (const std::uint32_t x : {31U, 63U, 95U}) CHECK(c.link(*find_link(c.graph, x, x + 1)).latency == microseconds(2));
  CHECK(c.link(*find_link(c.graph, 30, 31)).latency == microseconds(1));
}

TEST_CASE("links carry the rates of their chips") {
  CHECK(build_cluster("tpu-v2-pod").link(0).bandwidth == gigabytes_per_second(62));
  CHECK(build_cluster("torus32x32").link(7).bandwidth == gigabytes_per_second(82));
  CHECK(build_cluster("tpu-v2-pod").injection == gigabytes_per_second(248));
  CHECK(build_cluster("torus16x1").injection == gigabytes_per_second(164));
  const Cluster c = build_cluster("torus4x4:link_bandwidth=10 GB/s,link_latency=3 us");
  CHECK(c.link(0).bandwidth == gigabytes_per_second(10));
  CHECK(c.link(0).latency == microseconds(3));
  CHECK(c.link(0).kind == LinkKind::ici);
}

TEST_CASE("a 3-D torus has six links a chip, or four of the same total as a grid of two dimensions, with a note") {
  const Cluster real = build_cluster("torus4x4x8:accelerator=tpu-v4");
  CHECK(real.ranks() == 128);
  CHECK(real.links() == 6 * 128);
  CHECK(real.link(0).bandwidth == gigabytes_per_second(50));
  CHECK(real.injection == gigabytes_per_second(300));
  CHECK(real.notes.empty());
  CHECK(build_cluster("torus4x4x8").accelerator.name == "tpu-v4");
  CHECK(build_cluster("mesh4x4x8").links() == 2 * (3 * 32 + 3 * 32 + 7 * 16));

  const Cluster c = build_cluster("torus64x64:accelerator=tpu-v4");
  CHECK(c.link(0).bandwidth == gigabytes_per_second(75));
  CHECK(c.injection == gigabytes_per_second(300));
  REQUIRE(c.notes.size() == 1);
  CHECK_THAT(c.notes[0], Catch::Matchers::ContainsSubstring("as 4 of"));
}

TEST_CASE("every grid has the links that its lengths and wraps ask for") {
  for (int x = 1; x <= 7; ++x) {
    for (int y = 1; y <= 7; ++y) {
      for (const auto& [wrap, wx, wy] : {std::tuple("xy", true, true), std::tuple("x", true, false),
                                         std::tuple("y", false, true), std::tuple("none", false, false)}) {
        const Cluster c = build_cluster("torus" + std::to_string(x) + "x" + std::to_string(y) + ":wrap=" + wrap);
        REQUIRE(c.links() == links_by_hand(x, wx, y) + links_by_hand(y, wy, x));
        for (LinkIndex i = 0; i < c.links(); ++i) {
          const std::uint32_t from = link_source(c.graph, i);
          REQUIRE(find_link(c.graph, from, link_target(c.graph, i)) == i);  // one link a direction
          REQUIRE(find_link(c.graph, link_target(c.graph, i), from));       // and its opposite
        }
      }
    }
  }
}

TEST_CASE("65 536 chips are built quickly") {
  build_cluster("torus2x2");  // reads the catalogue
  const auto begin = std::chrono::steady_clock::now();
  const Cluster c = build_cluster("torus256x256");
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  CHECK(c.links() == 4 * 65536);
  CHECK(seconds < 60);  // about 0.01 s, 1 s unoptimised on a busy machine; every pair of chips would take minutes
}
