#include "topologies/cluster/grid.hpp"

#include <numeric>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/cluster/place.hpp"
#include "topologies/cluster/route.hpp"
#include "topologies/construction/grid_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A torus of 4x3 places with a second layer on top of it.
Cluster layers() {
  Cluster cluster;
  cluster.name = "layers";
  cluster.grid = Grid{{4, true}, {3, true}, {2, false}};
  cluster.graph = grid_graph(*cluster.grid, {{gigabytes_per_second(50), microseconds(1), LinkKind::ici}, 0, {}, {}});
  cluster.rank_vertex.resize(24);
  std::iota(cluster.rank_vertex.begin(), cluster.rank_vertex.end(), 0);
  return cluster;
}

}  // namespace

TEST_CASE("places, links and routes go along three dimensions as along two") {
  const Cluster c = layers();
  CHECK(c.links() == 2 * (24 + 24 + 12));
  CHECK(place_name(c, 23) == "x3y2z1");
  for (const std::uint32_t vertex : c.rank_vertex) CHECK(find_place(c, place_name(c, vertex)) == vertex);
  CHECK_THROWS_WITH(find_place(c, "x3y2"), ContainsSubstring("layers has the places x0y0z0 to x3y2z1"));
  std::vector<std::uint32_t> walk;
  for (const LinkIndex link : route(c, 0, 23).links) walk.push_back(link_target(c.graph, link));
  CHECK(walk == std::vector<std::uint32_t>{3, 11, 23});  // both wraps, then up
}

TEST_CASE("ranks that are all places of some rows and columns are a box") {
  const Grid grid = {{4}, {3}, {2}};
  CHECK(box_of(grid, {1, 3, 13, 15}) == std::vector<std::vector<int>>{{1, 3}, {0}, {0, 1}});
  CHECK_FALSE(box_of(grid, {1, 3, 13, 14}));
}
