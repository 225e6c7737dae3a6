// All-to-alls whose elements go to several ranks: one copy to each node that has a receiver.
#include <algorithm>
#include <vector>

#include "bare_clusters.hpp"
#include "catch.hpp"
#include "sim/collectives/algorithms.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/mesh/simulate_collective.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

// The mean number of nodes with a receiver over all ways in which `copies` receivers can lie, counted one by one.
double mean_nodes_by_ways(int nodes, int copies) {
  int ways = 1, reached = 0;
  for (int c = 0; c < copies; ++c) ways *= nodes;
  for (int way = 0; way < ways; ++way) {
    std::vector<bool> has(static_cast<std::size_t>(nodes));
    for (int c = 0, rest = way; c < copies; ++c, rest /= nodes) has[static_cast<std::size_t>(rest % nodes)] = true;
    reached += static_cast<int>(std::count(has.begin(), has.end(), true));
  }
  return double(reached) / ways;
}

PlannedCollective planned(const Cluster& cluster, Bytes bytes, int copies) {
  HopTable hops(cluster, ideal_links());
  return plan_in_groups(whole_layout(cluster), CollectiveKind::all_to_all, bytes, hops, {}, Search::all, copies);
}

}  // namespace

TEST_CASE("so many nodes have a receiver as all ways in which receivers can lie have in the mean") {
  for (const int nodes : {1, 2, 3, 5})
    for (const int copies : {1, 2, 4, 6})
      CHECK(nodes_reached(nodes, copies) == Approx(mean_nodes_by_ways(nodes, copies)));
}

TEST_CASE("an all-to-all by node sends the network one copy a node, where that is quicker") {
  const Bytes bytes(64.0 * 1024 * 1024);
  const Cluster cluster = build_cluster("dgx-h100:nodes=4");
  const PlannedCollective each = planned(cluster, bytes, 1), by_node = planned(cluster, bytes, 8);
  CHECK(each.schedule.algorithm == "pairwise");
  CHECK(by_node.schedule.algorithm == "by-node");
  CHECK(by_node.closed_form / each.closed_form == Approx(mean_nodes_by_ways(4, 6) / 8).epsilon(0.15));
  CHECK(planned(build_cluster("dgx-h100"), bytes, 8).schedule.algorithm == "pairwise");
  CHECK(planned(build_cluster("torus8x8"), bytes, 8).schedule.algorithm == "pairwise");
}

TEST_CASE("an all-to-all by node takes as long message by message as in closed form") {
  const Bytes bytes(6.4e7);
  const Cluster cluster = switched_cluster(4, 8);
  const PlannedCollective plan = planned(cluster, bytes, 8);
  REQUIRE(plan.schedule.algorithm == "by-node");
  for (const Fidelity fidelity : {Fidelity::message, Fidelity::fluid, Fidelity::folded})
    CHECK(simulate_collective(plan.schedule, cluster, ideal_links(), bytes, fidelity, Engine::max_min).time.value ==
          Approx(plan.closed_form.value).epsilon(0.05));
}
