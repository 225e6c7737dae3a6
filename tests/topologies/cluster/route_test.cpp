#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/cluster/route.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

/// The vertices of a route; empty where its links do not follow each other from one rank to the other.
std::vector<std::uint32_t> walk_of(const Cluster& c, int from, int to) {
  const Route found = route(c, from, to);
  std::vector<std::uint32_t> walk{c.rank_vertex[from]};
  Seconds latency;
  for (const LinkIndex link : found.links) {
    if (link_source(c.graph, link) != walk.back()) return {};
    walk.push_back(link_target(c.graph, link));
    latency += c.link(link).latency;
  }
  if (walk.back() != c.rank_vertex[to]) return {};
  if (std::set<std::uint32_t>(walk.begin(), walk.end()).size() != walk.size()) return {};
  return latency.value == Approx(found.latency.value).margin(1e-15) ? walk : std::vector<std::uint32_t>{};
}

int distance(int from, int to, int size, bool wraps) {
  const int apart = std::abs(from - to);
  return wraps ? std::min(apart, size - apart) : apart;
}

}  // namespace

TEST_CASE("routes on a torus go along X, then Y, the shorter way round") {
  const Cluster c = build_cluster("torus8x8");
  CHECK(walk_of(c, 0, 2 * 8 + 2) == std::vector<std::uint32_t>{0, 1, 2, 10, 18});
  CHECK(walk_of(c, 0, 7 * 8 + 7) == std::vector<std::uint32_t>{0, 7, 63});
  CHECK(walk_of(c, 0, 4) == std::vector<std::uint32_t>{0, 1, 2, 3, 4});  // both ways are four: up
  CHECK(walk_of(c, 4, 0) == std::vector<std::uint32_t>{4, 5, 6, 7, 0});
  CHECK(route(c, 0, 18).latency.value == Approx(4e-6));
  CHECK(route(c, 5, 5).links.empty());
}

TEST_CASE("a mesh has no way round") {
  const Cluster c = build_cluster("mesh8x1");
  CHECK(walk_of(c, 0, 7).size() == 8);
  CHECK(walk_of(c, 7, 0).size() == 8);
}

TEST_CASE("random grids have routes of the shortest length between all sampled pairs") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const int x = 1 + static_cast<int>(random() % 12), y = 1 + static_cast<int>(random() % 12);
    const bool wx = random() % 2 == 0, wy = random() % 2 == 0;
    const std::string wrap = wx && wy ? "xy" : wx ? "x" : wy ? "y" : "none";
    const Cluster c = build_cluster("torus" + std::to_string(x) + "x" + std::to_string(y) + ":wrap=" + wrap);
    for (int pair = 0; pair < 40; ++pair) {
      const int from = static_cast<int>(random() % static_cast<unsigned>(x * y));
      const int to = static_cast<int>(random() % static_cast<unsigned>(x * y));
      const int hops = distance(from % x, to % x, x, wx) + distance(from / x, to / x, y, wy);
      REQUIRE(walk_of(c, from, to).size() == static_cast<std::size_t>(hops) + 1);
    }
  }
}

namespace {

bool stands_alone(const std::string& machine) {
  try {
    build_cluster(machine + ":nodes=2");
    return false;
  } catch (const Infeasible&) {
    return true;
  }
}

}  // namespace

TEST_CASE("every pair of ranks of every machine has a valid route") {
  for (const auto& entry : topology_entries()) {
    for (const char* nodes : {"", ":nodes=3"}) {
      if (build_cluster(entry.name).nodes > 1 || build_cluster(entry.name).grid) continue;
      if (*nodes != '\0' && stands_alone(entry.name)) continue;
      const Cluster c = build_cluster(entry.name + nodes);
      INFO(c.name);
      for (int from = 0; from < c.ranks(); ++from)
        for (int to = 0; to < c.ranks(); ++to) REQUIRE_FALSE(walk_of(c, from, to).empty());
    }
  }
}

TEST_CASE("every part of a machine has valid routes") {
  for (const char* name : {"dgx1-v100", "dgx1-p100", "dgx-a100", "gce-k80"}) {
    for (int n = 1; n <= 8; ++n) {
      const Cluster c = build_cluster(name, n);
      for (int from = 0; from < n; ++from)
        for (int to = 0; to < n; ++to) REQUIRE_FALSE(walk_of(c, from, to).empty());
    }
  }
}

TEST_CASE("a finder that remembers ways to the network finds what route() does") {
  Defects one_failed;
  one_failed.links.push_back(parse_failed_link("nic1-network"));
  for (const auto& [name, defects] :
       std::vector<std::pair<std::string, Defects>>{{"dgx-h100:nodes=3", {}},
                                                    {"dgx-a100:nodes=6:nodes_per_leaf=2", {}},
                                                    {"gce-v100:nodes=2", {}},
                                                    {"torus4x4", {}},
                                                    {"ec2-p2:nodes=2", {}},
                                                    {"dgx-h100:nodes=2", one_failed}}) {
    const Cluster c = build_cluster(name, 0, defects);
    RouteFinder finder(c);
    INFO(c.name);
    for (int from = 0; from < c.ranks(); ++from) {
      for (int to = 0; to < c.ranks(); ++to) {
        const Route found = finder.route(from, to), plain = route(c, from, to);
        REQUIRE(found.links == plain.links);
        REQUIRE(found.latency == plain.latency);
      }
    }
    CHECK_THROWS_AS(finder.route(0, c.ranks()), InputError);
    CHECK_THROWS_AS(finder.route(-1, 0), InputError);
  }
}

TEST_CASE("a cube mesh relays over the fastest pair of NVLinks") {
  const Cluster c = build_cluster("dgx1-v100");
  CHECK(walk_of(c, 0, 3) == std::vector<std::uint32_t>{0, 3});
  CHECK(walk_of(c, 0, 7) == std::vector<std::uint32_t>{0, 4, 7});  // 2 + 2 links; over 3 it is 2 + 1
  CHECK(walk_of(c, 0, 5).size() == 3);
  for (const LinkIndex link : route(c, 0, 7).links) CHECK(c.link(link).kind == LinkKind::nvlink);
}

TEST_CASE("between nodes a route goes through PCIe and the nearest NIC") {
  const Cluster c = build_cluster("dgx1-v100:nodes=2");
  const auto walk = walk_of(c, 2, 8 + 7);
  REQUIRE(walk.size() == 7);
  CHECK(c.graph[walk[1]].kind == VertexKind::pcie_switch);
  CHECK(c.graph[walk[1]].index == 1);
  CHECK(c.graph[walk[2]].kind == VertexKind::nic);
  CHECK(c.graph[walk[2]].index == 1);
  CHECK(c.graph[walk[3]].kind == VertexKind::network_switch);
  CHECK(c.graph[walk[4]].index == 4 + 3);  // the last NIC of the second node
  CHECK(route(c, 2, 15).latency.value == Approx(4 * 150e-9 + 2 * 350e-9));
  CHECK(walk_of(build_cluster("gce-v100:nodes=2"), 0, 8).size() == 9);  // the VM's NIC hangs at the host
}

TEST_CASE("accelerators that share a switch with as many NICs each use their own") {
  const Cluster c = build_cluster("dgx-a100:nodes=2");
  std::set<std::uint32_t> nics;
  for (int rank = 0; rank < 8; ++rank) nics.insert(walk_of(c, rank, 8)[2]);
  CHECK(nics.size() == 8);
}

TEST_CASE("a rank that does not exist is refused") {
  CHECK_THROWS_WITH(route(build_cluster("torus4x4"), 0, 16),
                    Catch::Matchers::ContainsSubstring("rank 16 does not exist") &&
                        Catch::Matchers::ContainsSubstring("ranks 0 to 15"));
}
