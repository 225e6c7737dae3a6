#include "sim/parameter_server/node_classes.hpp"

#include <utility>

#include "catch.hpp"
#include "topologies/cluster/defects.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

using Numbers = std::vector<std::size_t>;

ServerPlan shared_out(std::vector<double> shares, int apart = 0) {
  ServerPlan plan;
  plan.shares = std::move(shares);
  plan.apart = apart;
  return plan;
}

}  // namespace

TEST_CASE("nodes alike in links and shares are one class, and their hosts' servers go with them") {
  const Cluster cluster = build_cluster("ec2-p2:nodes=4", 0);
  const NodesAndServers all = all_of(cluster, shared_out({0.25, 0.25, 0.25, 0.25}));
  CHECK(all.nodes == Numbers{0, 1, 2, 3});
  CHECK(all.servers == all.nodes);
  const NodesAndServers alike = first_of_classes(cluster, shared_out({0.25, 0.25, 0.25, 0.25}));
  CHECK(alike.nodes == Numbers{0});
  CHECK(alike.servers == Numbers{0});
  const NodesAndServers uneven = first_of_classes(cluster, shared_out({0.4, 0.2, 0.2, 0.2}));
  CHECK(uneven.nodes == Numbers{0, 1});
  CHECK(uneven.servers == Numbers{0, 1});
}

TEST_CASE("a node with a slow link is a class of its own") {
  Defects defects;
  defects.links = {parse_slow_link("node2-network:0.5")};
  const Cluster cluster = build_cluster("ec2-p2:nodes=4", 0, defects);
  CHECK(first_of_classes(cluster, shared_out({0.25, 0.25, 0.25, 0.25})).nodes == Numbers{0, 2});
}

TEST_CASE("servers that stand apart have classes by their shares") {
  const Cluster cluster = build_cluster("ec2-p2:nodes=2", 0);
  const ServerPlan plan = shared_out({0.5, 0.25, 0.25}, 3);
  CHECK(all_of(cluster, plan).servers == Numbers{0, 1, 2});
  CHECK(first_of_classes(cluster, plan).servers == Numbers{0, 1});
  CHECK(first_of_classes(cluster, plan).nodes == Numbers{0});
}
