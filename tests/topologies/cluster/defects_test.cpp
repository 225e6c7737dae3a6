#include "topologies/cluster/defects.hpp"

#include <algorithm>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/cluster/route.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

Cluster with(const std::string& name, const std::vector<std::string>& slow,
             const std::vector<std::string>& failed = {}) {
  Defects defects;
  for (const auto& text : slow) defects.links.push_back(parse_slow_link(text));
  for (const auto& text : failed) defects.links.push_back(parse_failed_link(text));
  return build_cluster(name, 0, defects);
}

BytesPerSecond rate(const Cluster& c, std::uint32_t from, std::uint32_t to) {
  return c.link(*find_link(c.graph, from, to)).bandwidth;
}

/// Fewest links between all pairs, by Floyd and Warshall: not the way the router finds them.
std::vector<std::vector<std::size_t>> distances_by_relaxation(const Cluster& c) {
  const std::size_t n = boost::num_vertices(c.graph);
  std::vector<std::vector<std::size_t>> d(n, std::vector<std::size_t>(n, 1000));
  for (std::size_t v = 0; v < n; ++v) d[v][v] = 0;
  for (LinkIndex i = 0; i < c.links(); ++i) d[link_source(c.graph, i)][link_target(c.graph, i)] = 1;
  for (std::size_t via = 0; via < n; ++via)
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b) d[a][b] = std::min(d[a][b], d[a][via] + d[via][b]);
  return d;
}

}  // namespace

TEST_CASE("a slow link is slow in both directions and no other is") {
  const Cluster c = with("torus4x4", {"x0y0-x1y0:0.5"});
  CHECK(rate(c, 0, 1) == gigabytes_per_second(41));
  CHECK(rate(c, 1, 0) == gigabytes_per_second(41));
  std::size_t slow = 0;
  for (LinkIndex i = 0; i < c.links(); ++i) slow += c.link(i).bandwidth < gigabytes_per_second(82);
  CHECK(slow == 2);
  CHECK(rate(with("torus4x4", {"gpu0-rank1:0.25"}), 1, 0) == gigabytes_per_second(20.5));
  CHECK(rate(with("dgx1-v100", {"gpu0-gpu3:0.5"}), 3, 0) == gigabytes_per_second(25));
}

TEST_CASE("a failed link is gone and routes go around it") {
  const Cluster c = with("torus8x8", {}, {"x0y0-x1y0"});
  CHECK(c.links() == 4 * 64 - 2);
  CHECK_FALSE(find_link(c.graph, 0, 1));
  CHECK(route(c, 0, 1).links.size() == 3);
  CHECK(route(c, 0, 2).links.size() == 4);
  CHECK(route(c, 2, 3).links.size() == 1);
  CHECK(with("torus8x8", {"x0y0-x1y0:0"}).links() == c.links());
  const Cluster mesh = with("dgx1-v100", {}, {"gpu0-gpu3"});
  CHECK(route(mesh, 0, 3).links.size() == 2);
  const Cluster nic = with("dgx1-v100:nodes=2", {}, {"nic0-network"});
  CHECK(route(nic, 0, 8).links.size() > 6);
}

TEST_CASE("every pair keeps a shortest route as links fail one after another") {
  Defects defects;
  for (const char* text : {"x0y0-x1y0", "x1y0-x2y0", "x3y3-x3y2", "x0y0-x0y1", "x0y0-x3y0"}) {
    defects.links.push_back(parse_failed_link(text));
    const Cluster c = build_cluster("torus4x4", 0, defects);
    CHECK(c.links() == 64 - 2 * defects.links.size());
    const auto distances = distances_by_relaxation(c);
    for (std::uint32_t from = 0; from < 16; ++from)
      for (std::uint32_t to = 0; to < 16; ++to)
        REQUIRE(route(c, static_cast<int>(from), static_cast<int>(to)).links.size() == distances[from][to]);
  }
}

TEST_CASE("a cut pair is infeasible and both ends are named") {
  const Cluster c = with("mesh4x1", {}, {"x1y0-x2y0"});
  CHECK(route(c, 0, 1).links.size() == 1);
  CHECK_THROWS_AS(route(c, 0, 3), Infeasible);
  CHECK_THROWS_WITH(route(c, 0, 3), ContainsSubstring("no route is left from x0y0 to x3y0"));
  const Cluster boxes = with("gke-t4:nodes=2", {}, {"node1-network"});
  CHECK_THROWS_WITH(route(boxes, 0, 1), ContainsSubstring("from gpu0 to gpu1"));
}

TEST_CASE("node ends stand for all NICs of the node") {
  const Cluster c = with("dgx1-v100:nodes=2", {"node1-network:0.5"});
  std::size_t slow = 0;
  for (LinkIndex i = 0; i < c.links(); ++i) slow += c.link(i).bandwidth == gigabytes_per_second(6.25);
  CHECK(slow == 2 * 4);
  CHECK(with("dgx1-v100:nodes=2", {"network-node0:0.5", "pcie0-host0:0.5"}).links() == c.links());
}

TEST_CASE("slow ranks have their factor, the others 1") {
  Defects defects;
  defects.ranks = {parse_slow_rank("17:0.9"), parse_slow_rank("3:0.25")};
  const Cluster c = build_cluster("torus8x8", 0, defects);
  CHECK(c.speed(17) == 0.9);
  CHECK(c.speed(3) == 0.25);
  CHECK(c.speed(0) == 1);
  CHECK(build_cluster("torus8x8").rank_speed.empty());
}

TEST_CASE("defects that cannot be are refused with what can") {
  CHECK_THROWS_WITH(
      with("torus4x4", {"x0y0-x2y0:0.5"}),
      ContainsSubstring("no link x0y0-x2y0") && ContainsSubstring("the neighbours of x0y0 are x1y0, x3y0, x0y1, x0y3"));
  CHECK_THROWS_WITH(with("dgx-a100", {"gpu0-gpu1:0.5"}),
                    ContainsSubstring("the neighbours of gpu0 are nvswitch0, pcie0"));
  CHECK_THROWS_WITH(with("torus4x4", {"x4y0-x0y0:0.5"}), ContainsSubstring("places x0y0 to x3y3"));
  CHECK_THROWS_WITH(with("dgx-a100", {"gpu8-gpu0:0.5"}), ContainsSubstring("ranks 0 to 7"));
  CHECK_THROWS_WITH(with("dgx-a100", {"spine-gpu0:0.5"}), ContainsSubstring("unknown place \"spine\""));
  CHECK_THROWS_WITH(with("dgx-a100", {"node0-network:0.5"}), ContainsSubstring("one node without a network"));
  CHECK_THROWS_WITH(with("dgx-a100:nodes=2", {"node2-network:0.5"}), ContainsSubstring("nodes 0 to 1"));
  CHECK_THROWS_WITH(with("dgx-a100:nodes=2", {"node0-node1:0.5"}), ContainsSubstring("write node0-network"));
  CHECK_THROWS_WITH(parse_slow_link("x0y0-x1y0"), ContainsSubstring("has no factor"));
  CHECK_THROWS_WITH(parse_slow_link("x0y0:0.5"), ContainsSubstring("names no link"));
  CHECK_THROWS_WITH(parse_slow_link("x0y0-x1y0:2"), ContainsSubstring("0 (failed) to 1"));
  CHECK_THROWS_WITH(parse_slow_link("x0y0-x1y0:fast"), ContainsSubstring("x0y0-x1y0:fast"));
  CHECK_THROWS_WITH(parse_failed_link("x0y0-x1y0:0.5"), ContainsSubstring("slow_link="));
  CHECK_THROWS_WITH(parse_slow_rank("17"), ContainsSubstring("has no factor"));
  CHECK_THROWS_WITH(parse_slow_rank("17:0"), ContainsSubstring("1e-06 to 1"));
  CHECK_THROWS_WITH(parse_slow_rank("-1:0.5"), ContainsSubstring("rank:"));
  Defects defects;
  defects.ranks = {{16, 0.5}};
  CHECK_THROWS_WITH(build_cluster("torus4x4", 0, defects),
                    ContainsSubstring("slow rank 16") && ContainsSubstring("ranks 0 to 15"));
}

TEST_CASE("what is named twice is refused, not slowed twice") {
  const auto message = [](const Defects& defects) { return [defects] { build_cluster("torus4x4", 0, defects); }; };
  CHECK_THROWS_WITH(message({{}, {{0, 0.8}, {0, 0.9}}, {}})(), ContainsSubstring("slow rank 0 is named twice"));
  CHECK_THROWS_WITH(message({{}, {}, {{1, 0.8}, {1, 0.8}}})(), ContainsSubstring("slow host 1 is named twice"));
  const auto link = parse_slow_link("x0y0-x1y0:0.5"), back = parse_slow_link("x1y0-x0y0:0.5");
  CHECK_THROWS_WITH(message({{link, link}, {}, {}})(), ContainsSubstring("link x0y0-x1y0 is named twice"));
  CHECK_THROWS_WITH(message({{link, back}, {}, {}})(), ContainsSubstring("once from each end"));
}

TEST_CASE("a slow host slows all of its ranks and no other") {
  Defects defects;
  defects.hosts.push_back(parse_slow_host("1:0.8"));
  defects.ranks.push_back(parse_slow_rank("9:0.5"));
  const Cluster nodes = build_cluster("dgx1-v100:nodes=2", 0, defects);
  for (int rank = 0; rank < 16; ++rank) CHECK(nodes.speed(rank) == Approx(rank < 8 ? 1 : rank == 9 ? 0.4 : 0.8));
  const Cluster grid = build_cluster("torus4x4", 0, defects);
  const int share = grid.host->accelerators;
  for (int rank = 10; rank < 16; ++rank) CHECK(grid.speed(rank) == (rank / share == 1 ? 0.8 : 1));
  defects.hosts = {parse_slow_host("2:0.8")};
  CHECK_THROWS_WITH(build_cluster("dgx1-v100:nodes=2", 0, defects), ContainsSubstring("has hosts 0 to 1"));
  CHECK_THROWS_WITH(parse_slow_host("x:0.8"), ContainsSubstring("host: "));
}
