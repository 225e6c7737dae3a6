#include "sim/mesh/device_mesh.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/mesh/mesh_axes.hpp"
#include "sim/mesh/mesh_mapping.hpp"
#include "tests/sim/collectives/bare_clusters.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

using Ranks = std::vector<int>;

// Two nodes of two and one of three accelerators.
Cluster unequal_nodes() {
  Cluster cluster = switched_cluster(3, 3);
  cluster.rank_vertex.erase(cluster.rank_vertex.begin() + 2);
  cluster.rank_vertex.erase(cluster.rank_vertex.begin() + 4);
  return cluster;
}

// By definition: ranks whose other coordinates are equal, in the order of their places.
std::set<std::set<int>> groups_by_definition(const DeviceMesh& mesh, AxisSet set) {
  std::map<std::vector<int>, std::set<int>> groups;
  for (int rank = 0; rank < mesh.ranks(); ++rank) {
    std::vector<int> others;
    for (std::size_t a = 0; a < kAxes; ++a)
      if (!set.has(static_cast<Axis>(a))) others.push_back(mesh.coordinate(rank, static_cast<Axis>(a)));
    groups[others].insert(rank);
  }
  std::set<std::set<int>> result;
  for (const auto& [coordinates, ranks] : groups) result.insert(ranks);
  return result;
}

}  // namespace

TEST_CASE("two neighbours on X and data on the rest of X and on Y have these coordinates and groups") {
  const Cluster torus = grid_cluster({{4, true}, {2, false}});
  const DeviceMesh mesh = parse_mesh(torus, axes(4, 2), "spatial:x,data:x,data:y");
  CHECK(mesh.text() == "spatial 2 and data 2 on X, data 2 on Y");
  // Rank 7 stands at x 3, y 1.
  CHECK(mesh.coordinate(7, Axis::spatial) == 1);
  CHECK(mesh.coordinate(7, Axis::data) == 3);
  CHECK(mesh.coordinate(6, Axis::spatial) == 0);
  CHECK(mesh.coordinate(5, Axis::data) == 2);
  CHECK(mesh.coordinate(7, Axis::tensor) == 0);
  CHECK(mesh.groups(Axis::spatial) == std::vector<Ranks>{{0, 1}, {2, 3}, {4, 5}, {6, 7}});
  CHECK(mesh.groups(Axis::data) == std::vector<Ranks>{{0, 2, 4, 6}, {1, 3, 5, 7}});
  CHECK(mesh.groups(Axis::data | Axis::spatial).size() == 1);
}

TEST_CASE("stages are roles, and groups of a role hold its ranks only") {
  const Cluster cluster = switched_cluster(2, 4);
  const DeviceMesh mesh = parse_mesh(cluster, axes(2, 1, 2, 2), "tensor:node,data:node,pipeline:network");
  CHECK(mesh.text() == "tensor 2 and data 2 on node, pipeline 2 on network");
  CHECK(mesh.roles() == Ranks{0, 0, 0, 0, 1, 1, 1, 1});
  CHECK(mesh.groups(Axis::tensor, 1) == std::vector<Ranks>{{4, 5}, {6, 7}});
  CHECK(mesh.groups(Axis::pipeline) == std::vector<Ranks>{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  CHECK(parse_mesh(cluster, axes(8), "data:node,data:network").roles().empty());
}

TEST_CASE("on every possible mesh groups are the ranks that differ in their coordinates only") {
  for (const Cluster& cluster : {grid_cluster({{4, true}, {6, true}}), switched_cluster(3, 8), switched_cluster(24, 1),
                                 switched_cluster(1, 24)}) {
    for (const Parallelism& parallelism : {axes(24), axes(6, 4), axes(2, 2, 3, 2), axes(4, 1, 6)}) {
      const auto meshes = possible_meshes(cluster, parallelism);
      REQUIRE_FALSE(meshes.empty());
      for (const DeviceMesh& mesh : meshes) {
        INFO(cluster.name << ": " << mesh.text());
        for (const AxisSet set : {AxisSet(Axis::data), AxisSet(Axis::spatial), AxisSet(Axis::pipeline),
                                  Axis::data | Axis::tensor, Axis::data | Axis::spatial}) {
          std::set<std::set<int>> found;
          for (const Ranks& group : mesh.groups(set)) {
            CHECK(static_cast<int>(group.size()) == parallelism.size_of(set));
            CHECK(found.insert({group.begin(), group.end()}).second);
          }
          CHECK(found == groups_by_definition(mesh, set));
        }
        // Members stand in the order of their coordinates.
        for (const Ranks& group : mesh.groups(Axis::data))
          for (std::size_t i = 0; i < group.size(); ++i)
            CHECK(mesh.coordinate(group[i], Axis::data) == static_cast<int>(i));
      }
    }
  }
}

TEST_CASE("the usual way puts tensor parallelism nearest and data parallelism farthest, and ways are not repeated") {
  const auto meshes = possible_meshes(switched_cluster(8, 8), axes(2, 1, 8, 4));
  CHECK(meshes.front().text() == "tensor 8 on node, pipeline 4 and data 2 on network");
  CHECK(meshes.size() == 6);
  std::set<std::string> texts;
  for (const DeviceMesh& mesh : meshes) texts.insert(mesh.text());
  CHECK(texts.size() == meshes.size());
  CHECK(possible_meshes(switched_cluster(8, 8), axes(64)).size() == 1);
  CHECK(possible_meshes(grid_cluster({{8, true}, {8, true}}), axes(16, 4)).size() == 4);
  CHECK(possible_meshes(grid_cluster({{8, true}, {8, true}}), axes(16, 4), 3).size() == 3);
  // A size that does not divide a dimension is spread by its factors.
  CHECK(possible_meshes(switched_cluster(3, 8), axes(4, 1, 6)).front().text() ==
        "tensor 2 and data 4 on node, tensor 3 on network");
}

TEST_CASE("ranks in a ring stand all round a dimension that wraps") {
  const Cluster torus = grid_cluster({{8, true}, {4, false}});
  const auto layout = [&](const std::string& text, AxisSet set) {
    return parse_mesh(torus, axes(8, 4), text).layout(torus, set);
  };
  const RankLayout strided = layout("spatial:x,data:x,data:y", Axis::data);
  CHECK(strided.shape == Grid{{2, true}, {4, false}});  // Y does not wrap
  CHECK(layout("spatial:x,data:x,data:y", Axis::spatial).shape == Grid{{4, false}, {1, false}});
  CHECK(layout("data:x,spatial:y", Axis::data).shape == Grid{{8, true}, {1, false}});
  CHECK(layout("data:x,spatial:y", Axis::data | Axis::spatial).whole);
}

TEST_CASE("nodes of unequal size are one dimension") {
  const Cluster cluster = unequal_nodes();
  REQUIRE(ranks_by_node(cluster).size() == 3);
  const auto dimensions = physical_dimensions(cluster);
  REQUIRE(dimensions.size() == 1);
  CHECK(dimensions[0].name == "ranks");
  CHECK(dimensions[0].size == 7);
  CHECK(possible_meshes(cluster, axes(7)).front().text() == "data 7 on ranks");
  CHECK(physical_dimensions(switched_cluster(1, 4)).size() == 1);
  CHECK(physical_dimensions(switched_cluster(4, 2))[1].name == "network");
}

TEST_CASE("a mesh in words that are not known or do not fit is refused with the nearest that does") {
  const Cluster torus = grid_cluster({{4, true}, {4, true}});
  const auto parse = [&](const std::string& text) { return parse_mesh(torus, axes(8, 2), text); };
  CHECK(parse("data:Y,spatial:x,data:x").text() == "spatial 2 and data 2 on X, data 4 on Y");
  CHECK_THROWS_AS(parse("spatail:x,data:y"), InputError);
  CHECK_THROWS_WITH(parse("spatail:x,data:y"), ContainsSubstring("did you mean \"spatial\"?"));
  CHECK_THROWS_WITH(parse("spatial:z,data:y"), ContainsSubstring("unknown dimension \"z\""));
  CHECK_THROWS_WITH(parse("spatial"), ContainsSubstring("\"spatial\" is not of the form axis:dimension"));
  CHECK_THROWS_WITH(parse(""), ContainsSubstring("not of the form"));
  CHECK_THROWS_WITH(parse("spatial:x"), ContainsSubstring("data 8 is on no dimension"));
  CHECK_THROWS_WITH(parse("spatial:x,data:x,data:x"), ContainsSubstring("data is on X twice"));
  CHECK_THROWS_AS(parse("spatial:x,data:y"), Infeasible);
  CHECK_THROWS_WITH(parse("spatial:x,data:y"), ContainsSubstring("data 8 does not fit on Y of 4") &&
                                                   ContainsSubstring("\"spatial:x,data:x,data:y\" does"));
  CHECK_THROWS_AS(possible_meshes(torus, axes(8)), Infeasible);
  CHECK_THROWS_WITH(possible_meshes(torus, axes(3, 4)), ContainsSubstring("data=4, spatial=4 does"));
}

TEST_CASE("dimensions that do not hold the axes are a fault of the program") {
  const Cluster torus = grid_cluster({{4, true}, {4, true}});
  CHECK_THROWS_AS(DeviceMesh(torus, axes(16), {{"X", 4, {{Axis::data, 4}}}}), std::logic_error);
  CHECK_THROWS_AS(DeviceMesh(torus, axes(16), {{"X", 4, {{Axis::data, 2}}}, {"Y", 4, {{Axis::data, 8}}}}),
                  std::logic_error);
}
