#include "sim/plan/question_hops.hpp"

#include "catch.hpp"
#include "topologies/cluster/route.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::sim;

TEST_CASE("a question has one hop table a cluster and efficiency of links") {
  const auto boxes = std::make_shared<const Cluster>(build_cluster("dgx-a100:nodes=2"));
  const auto more = std::make_shared<const Cluster>(build_cluster("dgx-a100:nodes=4"));
  LinkEfficiency slower_calls = fitted_links();
  slower_calls.call += microseconds(5);
  QuestionHops hops;
  HopTable& first = hops.on(boxes, fitted_links());
  CHECK(&hops.on(more, fitted_links()) != &first);
  CHECK(&hops.on(boxes, ideal_links()) != &first);
  CHECK(&hops.on(boxes, fitted_links()) == &first);
  CHECK(&hops.on(boxes, slower_calls) == &first);
  CHECK(&QuestionHops(hops).on(boxes, fitted_links()) == &first);
}

TEST_CASE("a hop has the links of its route, in whatever order pairs are asked") {
  const auto cluster = std::make_shared<const Cluster>(build_cluster("dgx-a100:nodes=2"));
  QuestionHops question;
  HopTable& hops = question.on(cluster, fitted_links());
  for (const int from : {3, 0, 12})
    for (const int to : {15, 1, 8, 7, 15}) {
      const HopTable::Hop hop = hops.hop(from, to);
      const auto route = topologies::route(*cluster, from, to);
      REQUIRE(hop.count == route.links.size());
      for (std::uint32_t i = 0; i < hop.count; ++i) CHECK(hops.link(hop.first + i) == route.links[i]);
      CHECK(hop.alpha > route.latency);
    }
}
