// The three ways an exchange runs, asked the same questions.
#include "sim/exchange/planned_exchange.hpp"

#include <memory>
#include <vector>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/links/link_efficiency.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const Bytes kGigabyte(1e9);

Cluster two_boxes() { return build_cluster("dgx-a100:nodes=2", 0); }

Cluster slow_boxes() {
  Defects defects;
  defects.links = {parse_slow_link("node1-network:0.5")};
  return build_cluster("dgx-a100:nodes=2", 0, defects);
}

PlannedCollective ring(const Cluster& cluster, const LinkEfficiency& links = ideal_links()) {
  return plan_collective(cluster, CollectiveKind::all_reduce, kGigabyte, links, "ring");
}

// Three seconds whatever the payload.
std::shared_ptr<const MeasuredCollective> three_seconds() {
  CollectiveCurve curve;
  curve.communicator = "nccl";
  curve.nodes = 2;
  curve.ranks_per_node = 8;
  curve.knots = {{Bytes(8), Seconds(3), 0}, {Bytes(1e12), Seconds(3), 0}};
  curve.residual = {0.01, 0.05, 60};
  curve.source = {Provenance::measured, "a host", "2026-11-21"};
  return std::make_shared<const MeasuredCollective>(MeasuredCollective{curve, 16, "measured (nccl, 2 x 8 ranks)"});
}

MeasuredExchange three_seconds_on(const Cluster& cluster) {
  return {three_seconds(), ring(cluster), ring(cluster).cost};
}

// Variables in the memory of each of two hosts.
ServerExchange servers(const Cluster& cluster) {
  ServerPlan plan;
  plan.update = ServerPlan::Update::distributed_replicated;
  plan.shares = {0.5, 0.5};
  plan.tensors = 1;
  plan.rates = fitted_server_rates();
  return plan_server_exchange(cluster, plan, CollectiveKind::parameter_pull, ideal_links());
}

// All links at half their rate.
LinkEfficiency halved(LinkEfficiency links) {
  for (auto& entry : links.by_kind) entry.share /= 2;
  return links;
}

PlannedExchange on_half(const PlannedExchange& exchange, const Cluster& cluster) {
  const LinkEfficiency links = halved(ideal_links());
  HopTable hops(cluster, links);
  return exchange.on(hops, links, halved);
}

}  // namespace

TEST_CASE("an exchange says how it runs, why and from where") {
  const Cluster cluster = two_boxes();
  const PlannedExchange by_ring(ring(cluster)), by_servers(servers(cluster)), measured(three_seconds_on(cluster));
  CHECK(by_ring.name() == "ring");
  CHECK(by_ring.statement().text == "by ring");
  CHECK_THAT(by_ring.provenance("all-reduce").value.text, ContainsSubstring("ring: forced"));
  CHECK(by_ring.provenance("all-reduce").figure == "all-reduce");
  CHECK(by_servers.statement().text == "by parameter-servers");
  CHECK_THAT(by_servers.provenance("").value.text, ContainsSubstring("2 servers on the nodes' hosts"));
  CHECK(measured.statement().text == "measured (nccl, 2 x 8 ranks)");
  CHECK(measured.provenance("").source.date == "2026-11-21");
  CHECK(by_servers.rates().has_value());
  CHECK_FALSE(by_ring.rates().has_value());
  CHECK_FALSE(measured.rates().has_value());
}

TEST_CASE("a library's own time of a call is in what was measured and comes on top of formulas") {
  const Cluster cluster = two_boxes();
  const PlannedExchange by_ring(ring(cluster)), measured(three_seconds_on(cluster));
  CHECK(by_ring.time(kGigabyte, Seconds(1), Seconds(0)) == Seconds(1) + by_ring.time(kGigabyte));
  CHECK(by_ring.time(kGigabyte) == ring(cluster).cost.time(kGigabyte));
  CHECK(measured.time(kGigabyte, Seconds(1), Seconds(0)).value == Approx(3));
}

TEST_CASE("only what was measured has a spread of its own, and nobody measures servers") {
  const Cluster cluster = two_boxes();
  const PlannedExchange by_ring(ring(cluster)), by_servers(servers(cluster)), measured(three_seconds_on(cluster));
  CHECK_FALSE(by_ring.log_spread(kGigabyte).has_value());
  CHECK_FALSE(by_servers.log_spread(kGigabyte).has_value());
  CHECK(measured.log_spread(kGigabyte).value() == three_seconds()->log_spread(kGigabyte));
  CHECK(by_ring.is_to_measure());
  CHECK_FALSE(by_servers.is_to_measure());
  CHECK_FALSE(measured.is_to_measure());
}

TEST_CASE("on links of half the rate everything large takes twice as long, measured or not") {
  const Cluster cluster = two_boxes();
  const Bytes large(1e12);
  const PlannedExchange by_ring(ring(cluster)), measured(three_seconds_on(cluster));
  CHECK(on_half(by_ring, cluster).time(large) / by_ring.time(large) == Approx(2).epsilon(1e-3));
  CHECK(on_half(measured, cluster).time(large).value == Approx(6).epsilon(1e-3));
  CHECK(on_half(on_half(measured, cluster), cluster).time(large).value == Approx(6).epsilon(1e-3));
  CHECK(on_half(servers(cluster), cluster).time(large) > PlannedExchange(servers(cluster)).time(large));
}

TEST_CASE("NCCL's structure gives an exchange its time, on slow links as much more as a schedule takes there") {
  const Cluster cluster = two_boxes(), slow = slow_boxes();
  const auto known = MeasuredCollectives(cluster, {}).of(CollectiveKind::all_reduce, "nccl", Bytes(2));
  REQUIRE(known);
  CHECK_FALSE(known->measured_here());
  const Bytes large(1e12);
  const PlannedExchange sound(MeasuredExchange(known, ring(cluster), ring(cluster).cost)),
      slowed(MeasuredExchange(known, ring(slow), ring(cluster).cost));
  CHECK(sound.time(large).value == Approx(known->time(large).value));
  CHECK(slowed.time(large) / sound.time(large) == Approx(2).epsilon(0.01));
  CHECK(sound.name() == "by NCCL's structure (nccl, 2 x 8 ranks)");
  CHECK_FALSE(sound.log_spread(large).has_value());
  CHECK(sound.is_to_measure());
  CHECK_FALSE(sound.shares_links());
  CHECK(sound.provenance("all-reduce").source.provenance == Provenance::fitted);
}

TEST_CASE("an exchange with links of its own has those halved, not the step's") {
  const Cluster cluster = two_boxes();
  const Bytes large(1e12);
  PlannedCollective own = ring(cluster, halved(ideal_links()));
  own.links = halved(ideal_links());
  const PlannedExchange slow(own);
  CHECK(on_half(slow, cluster).time(large) / slow.time(large) == Approx(2).epsilon(1e-3));
  CHECK(on_half(slow, cluster).time(large) / PlannedExchange(ring(cluster)).time(large) == Approx(4).epsilon(1e-3));
}

TEST_CASE("what was measured has no flows, servers have some and a ring folds on one class") {
  const Cluster cluster = two_boxes();
  const LinkEfficiency links = ideal_links();
  const std::vector<std::uint32_t> alike(16, 0), two_kinds{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  const PlannedExchange by_ring(ring(cluster)), by_servers(servers(cluster)), measured(three_seconds_on(cluster));
  CHECK(by_ring.shares_links());
  CHECK(by_servers.shares_links());
  CHECK_FALSE(measured.shares_links());
  CHECK_FALSE(measured.flows(cluster, links).has_value());
  CHECK_FALSE(measured.folded_flows(cluster, links, alike).has_value());
  CHECK(by_ring.flows(cluster, links)->rank_classes == 16);
  CHECK(by_ring.folded_flows(cluster, links, alike)->program.flow_count() <
        by_ring.flows(cluster, links)->flow_count());
  CHECK(by_servers.flows(cluster, links)->class_size == std::vector<std::uint32_t>(16, 1));
  const auto folded = by_servers.folded_flows(cluster, links, two_kinds);
  CHECK(folded->rank_class == two_kinds);
  CHECK(folded->program.class_size == std::vector<std::uint32_t>{8, 8});
}

TEST_CASE("servers have no messages") {
  const Cluster cluster = two_boxes();
  const PlannedExchange by_ring(ring(cluster)), by_servers(servers(cluster)), measured(three_seconds_on(cluster));
  const std::vector<Seconds> at_once(16);
  const MessageRun run = by_ring.messages(cluster, ideal_links(), kGigabyte, Engine::max_min, at_once);
  CHECK(run.time.value == Approx(by_ring.time(kGigabyte).value).epsilon(0.01));
  CHECK_THROWS_AS(by_servers.messages(cluster, ideal_links(), kGigabyte, Engine::max_min, at_once), Infeasible);
  CHECK(by_ring.messages_at_once() >= 16);
  CHECK(by_servers.messages_at_once() == 0);
  CHECK(measured.messages_at_once() == 0);
}
