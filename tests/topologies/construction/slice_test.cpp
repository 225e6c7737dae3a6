#include "topologies/construction/grid_cluster.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "scratch_folder.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string shape(const std::string& name, int accelerators) {
  const Grid grid = *build_cluster(name, accelerators).grid;
  return size_text(grid) + (grid[0].wraps ? " x" : "") + (grid[1].wraps ? " y" : "");
}

}  // namespace

TEST_CASE("a slice is the squarest rectangle of powers of two and loses the wraps it does not span") {
  CHECK(shape("torus32x32", 16) == "4x4");
  CHECK(shape("torus32x32", 128) == "8x16");
  CHECK(shape("torus32x32", 512) == "16x32 y");
  CHECK(shape("torus32x32", 1024) == "32x32 x y");
  CHECK(shape("torus32x32", 0) == "32x32 x y");
  CHECK(shape("torus32x32", 96) == "8x12");
  CHECK(shape("torus32x32", 1) == "1x1");
  CHECK(shape("torus32x32", 2) == "2x1");
  CHECK(shape("torus32x32", 7) == "7x1");
}

TEST_CASE("a slice of one pod of a multipod has that pod's wraps") {
  CHECK(shape("torus128x32", 1024) == "32x32 x y");
  CHECK(shape("torus128x32", 2048) == "64x32 y");
  CHECK(shape("torus128x32", 4096) == "128x32 y");
  CHECK(shape("torus128x32", 512) == "16x32 y");
  CHECK(shape("torus128x32:wrap=y", 1024) == "32x32 y");
  const Cluster c = build_cluster("torus128x32", 2048);
  std::size_t longer = 0;
  for (LinkIndex i = 0; i < c.links(); ++i) longer += c.link(i).latency > microseconds(1);
  CHECK(longer == 2 * 32);
}

TEST_CASE("every count has the rectangle that an exhaustive search prefers") {
  for (int count = 1; count <= 64; ++count) {
    const auto found = best_box(count, {{8}, {8}});
    int fits = 0;
    for (int x = 1; x <= 8; ++x)
      for (int y = 1; y <= 8; ++y) fits += x * y == count;
    REQUIRE(found.has_value() == (fits > 0));
    if (found) {
      CHECK(places_in(*found) == count);
      CHECK(std::max(found->front().size, found->back().size) <= 8);
    }
  }
}

TEST_CASE("a slice of whole cubes wraps as the pod does, and no other") {
  const auto wraps = [](const std::string& name) {
    std::string letters;
    const Grid grid = *build_cluster(name).grid;
    for (std::size_t d = 0; d < grid.size(); ++d)
      if (grid[d].wraps) letters += kDimensionLetters[d];
    return letters;
  };
  CHECK(wraps("tpu-v4-pod") == "xyz");
  CHECK(wraps("tpu-v4-pod:slice=4x4x8") == "xyz");
  CHECK(wraps("tpu-v4-pod:slice=2x4x4") == "");
  CHECK(wraps("tpu-v4-pod:slice=16x16x2") == "xy");
  CHECK(wraps("tpu-v4-pod:slice=4x4x8:wrap=z") == "z");
  CHECK(wraps("torus8x8x8:slice=4x4x8") == "z");
  CHECK(size_text(*build_cluster("tpu-v4-pod", 64).grid) == "4x4x4");
}

TEST_CASE("a slice of three dimensions is the squarest box of powers of two") {
  CHECK(best_box(64, {{8}, {8}, {8}}) == Grid{{4}, {4}, {4}});
  CHECK(best_box(16, {{4}, {4}, {4}}) == Grid{{2}, {2}, {4}});
  CHECK(best_box(3, {{4}, {4}, {4}}) == Grid{{3}, {1}, {1}});
  CHECK_FALSE(best_box(5, {{4}, {4}, {4}}));
}

TEST_CASE("a count without a rectangle names the nearest that have one") {
  CHECK_THROWS_AS(build_cluster("torus32x32", 37), Infeasible);
  CHECK_THROWS_WITH(build_cluster("torus32x32", 37), ContainsSubstring("the nearest that do are 36 and 38"));
  CHECK_THROWS_WITH(build_cluster("torus32x32", 1023),
                    ContainsSubstring("are 992 and 1024") || ContainsSubstring("1024"));
  CHECK_THROWS_WITH(build_cluster("torus32x32", 1025),
                    ContainsSubstring("torus32x32 holds 1024 accelerators, not 1025"));
}

TEST_CASE("machines take one node in part or several nodes in full") {
  CHECK(build_cluster("dgx1-v100", 8).nodes == 1);
  CHECK(build_cluster("dgx1-v100", 24).nodes == 3);
  CHECK(build_cluster("dgx1-v100:nodes=12").ranks() == 96);
  CHECK(build_cluster("dgx1-v100:nodes=12", 16).nodes == 2);
  CHECK(build_cluster("dgx1-v100:nodes=12", 4).ranks() == 4);
  CHECK(build_cluster("dgx1-v100:nodes=4,per_node=2").ranks() == 8);
  CHECK(build_cluster("dgx-a100", 4096).nodes == 512);
  CHECK_THROWS_WITH(build_cluster("dgx1-v100", 12),
                    ContainsSubstring("12 accelerators do not fill nodes of 8") && ContainsSubstring("8 and 16"));
  CHECK_THROWS_WITH(build_cluster("dgx1-v100:nodes=2", 24),
                    ContainsSubstring("dgx1-v100:nodes=2 holds 16 accelerators, not 24"));
  CHECK_THROWS_AS(build_cluster("dgx1-v100:per_node=9"), Infeasible);
}

TEST_CASE("ranks share the processor of a machine file of one's own, and no accelerator else") {
  const ScratchFolder folder;
  const auto machine = [&](const std::string& accelerator) {
    return folder.file("own.yaml",
                       "name: own\naccelerator: " + accelerator +
                           "\nnode:\n  accelerators: 1\n  interconnect: pcie\n  pcie: {bandwidth: 15.75 GB/s, "
                           "latency: 150 ns}\n");
  };
  const Cluster whole = build_cluster(machine("xeon-8124m")),
                shared = build_cluster(machine("xeon-8124m") + ":per_node=4");
  CHECK(shared.ranks() == 4);
  CHECK(shared.accelerator.peak.at(Precision::fp32).value.value ==
        Approx(whole.accelerator.peak.at(Precision::fp32).value.value / 4));
  CHECK(shared.accelerator.memory.value.value == Approx(whole.accelerator.memory.value.value / 4));
  CHECK(shared.accelerator.memory_bandwidth.value.value == Approx(whole.accelerator.memory_bandwidth.value.value / 4));
  CHECK_THROWS_AS(build_cluster(machine("v100-pcie") + ":per_node=4"), Infeasible);
}
