#include "sim/parameter_server/host_links.hpp"

#include "catch.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("turned round twice the ways are as they were, once each runs backwards") {
  const HostLinks links = host_links(build_cluster("ec2-p2:nodes=2", 0)), back = turned_round(links),
                  forth = turned_round(back);
  for (std::size_t n = 0; n < links.nodes.size(); ++n) {
    CHECK(back.nodes[n].to_host == links.nodes[n].from_host);
    CHECK(back.nodes[n].out == links.nodes[n].in);
    CHECK(forth.nodes[n].to_host == links.nodes[n].to_host);
    CHECK(forth.nodes[n].in == links.nodes[n].in);
  }
}

TEST_CASE("a route costs its links one after another, the slowest software once, and the least rate") {
  const Cluster cluster = build_cluster("dgx1-p100", 0);
  const HostLinks links = host_links(cluster);
  const LinkEfficiency efficiency = fitted_links();
  const RouteCost cost(cluster, efficiency);
  const HostLinks::RouteLinks& route = links.nodes.front().to_host.front();
  REQUIRE(route.size() == 2);  // to the switch, and on to the host
  CHECK(cost.latency(route).value == Approx(2 * 150e-9 + 5.7e-6));
  CHECK(cost.rate(route.front()).value == Approx(0.76 * 15.75e9));
  CHECK(cost.rate(route, BytesPerSecond(1e12)) == cost.rate(route.front()));
  CHECK(cost.rate(route, BytesPerSecond(1e9)) == BytesPerSecond(1e9));
  CHECK(cost.latency({}) == Seconds(0));
}
