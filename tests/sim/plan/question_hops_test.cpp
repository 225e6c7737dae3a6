#include "sim/plan/question_hops.hpp"

#include "catch.hpp"
#include "topologies/cluster/route.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::sim;

TEST_CASE("a question has one mesh table a cluster and efficiency of links") {
  const auto boxes = std::make_shared<const Cluster>(build_cluster("dgx-a100:nodes=2"));
  const auto more = std::make_shared<const Cluster>(build_cluster("dgx-a100:nodes=4"));
  LinkEfficiency slower_calls = fitted_links();
  slower_calls.call += microseconds(5);
  QuestionHops hops;
  MeshTable& first = hops.on(boxes, fitted_links());
  CHECK(&hops.on(more, fitted_links()) != &first);
  CHECK(&hops.on(boxes, ideal_links()) != &first);
  CHECK(&hops.on(boxes, fitted_links()) == &first);
  CHECK(&hops.on(boxes, slower_calls) == &first);
  CHECK(&QuestionHops(hops).on(boxes, fitted_links()) == &first);
}

TEST_CASE("a hop has the links of its route, in whatever order pairs are asked") {
  const auto cluster = std::make_shared<const Cluster>(build_cluster("dgx-a100:nodes=2"));
  QuestionHops question;
  HopTable& hops = question.on(cluster, fitted_links()).hops;
  for (const int from : {3, 0, 12})
    for (const int to : {15, 1, 8, 7, 15}) {
      const HopTable::Hop hop = hops.hop(from, to);
      const auto route = topologies::route(*cluster, from, to);
      REQUIRE(hop.count == route.links.size());
      for (std::uint32_t i = 0; i < hop.count; ++i) CHECK(hops.link(hop.first + i) == route.links[i]);
      CHECK(hop.alpha > route.latency);
    }
}

TEST_CASE("a hop asked for again, after others, is the same") {
  const Cluster cluster = build_cluster("dgx-a100:nodes=8");
  HopTable hops(cluster, fitted_links());
  std::vector<HopTable::Hop> first;
  for (int from = 0; from < cluster.ranks(); ++from)
    for (int to = 0; to < cluster.ranks(); ++to) first.push_back(hops.hop(from, to));
  for (int from = 0; from < cluster.ranks(); ++from)
    for (int to = 0; to < cluster.ranks(); ++to) {
      const HopTable::Hop &before = first[from * cluster.ranks() + to], now = hops.hop(from, to);
      CHECK(now.first == before.first);
      CHECK(now.alpha == before.alpha);
      CHECK(now.count == topologies::route(cluster, from, to).links.size());
    }
}
