#include "sim/parameter_server/server_traffic.hpp"

#include "catch.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("links are numbered as flows cross them, each once, and a flow without a share is none") {
  const Cluster cluster = build_cluster("dgx1-p100", 0);
  const LinkEfficiency efficiency = ideal_links();
  TrafficWriter writer(cluster, efficiency);
  writer.begin_phase("first");
  const std::uint32_t memory = writer.own_link(BytesPerSecond(7e9));
  writer.add({5, 3}, {memory}, 0.5, Seconds(1));
  writer.add({3}, {}, 0.25, Seconds(2));
  writer.add({4}, {}, 0, Seconds(3));
  writer.begin_phase("second");
  writer.add({5}, {}, 1, Seconds(4));
  const ServerTraffic traffic = writer.take();
  CHECK(traffic.links == std::vector{BytesPerSecond(7e9), cluster.link(5).bandwidth, cluster.link(3).bandwidth});
  REQUIRE(traffic.phases.size() == 2);
  CHECK(traffic.phases[0].name == "first");
  REQUIRE(traffic.phases[0].flows.size() == 2);
  CHECK(traffic.phases[0].flows[0].links == std::vector<std::uint32_t>{1, 2, 0});
  CHECK(traffic.phases[0].flows[0].share == 0.5);
  CHECK(traffic.phases[0].flows[1].links == std::vector<std::uint32_t>{2});
  CHECK(traffic.phases[0].flows[1].latency == Seconds(2));
  CHECK(traffic.phases[1].flows[0].links == std::vector<std::uint32_t>{1});
}
