#include <cmath>
#include <random>

#include "catch.hpp"
#include "tests/sim/engine/networks.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

void check_both(const std::vector<double>& links, const std::vector<FlowSpec>& flows, const Times& expected) {
  const Times simgrid = on_simgrid(ends_of(links, flows)), own = on_max_min(ends_of(links, flows));
  REQUIRE(simgrid.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("flow " << i);
    CHECK(simgrid[i] == Approx(expected[i]).epsilon(1e-12));
    CHECK(own[i] == Approx(expected[i]).epsilon(1e-12));
  }
}

std::pair<std::vector<double>, std::vector<FlowSpec>> random_network(unsigned seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  const auto count = [&](int low, int high) { return std::uniform_int_distribution<>(low, high)(random); };
  std::vector<double> links(count(1, 12));
  for (double& bandwidth : links) bandwidth = uniform(1e9, 300e9);
  std::vector<FlowSpec> flows(count(1, 25));
  for (FlowSpec& flow : flows) {
    for (FlowLink l = 0; l < links.size(); ++l)
      if (count(0, 3) == 0) flow.links.push_back(l);
    flow.bytes = std::round(uniform(0, 1e8));
    flow.latency_s = count(0, 2) * uniform(0, 1e-4);
    flow.start_s = count(0, 1) * uniform(0, 1e-3);
  }
  return {links, flows};
}

}  // namespace

TEST_CASE("a flow takes its latency and then its bytes over the bandwidth") {
  check_both({50e9}, {{{0}, 100e6, 1e-6}}, {1e-6 + 0.002});
  check_both({50e9}, {{{0}, 1, 100e-6}}, {100e-6 + 1 / 50e9});
}

TEST_CASE("a flow over no link only waits, and one without bytes ends after its latency") {
  check_both({50e9}, {{{}, 1e9, 3e-6}, {{0}, 0, 2e-6}, {{0}, 1e6, 0}}, {3e-6, 2e-6, 2e-5});
}

TEST_CASE("half a byte is not rounded away") { check_both({1.0}, {{{0}, 0.5}, {{}, 0, 2}}, {0.5, 2}); }

TEST_CASE("two flows with latencies of 1 us and 10 us share a link equally once both have begun") {
  // 9 us alone at 50 GB/s are 450 kB; 99.55 MB at 25 GB/s are 3.982 ms. The last 450 kB run alone again.
  check_both({50e9}, {{{0}, 100e6, 1e-6}, {{0}, 100e6, 10e-6}}, {3.992e-3, 4.001e-3});
}

TEST_CASE("eight flows over one NIC take eight times as long, and both directions are independent") {
  std::vector<FlowSpec> flows(8, FlowSpec{{0}, 1e9});
  flows.push_back({{1}, 1e9});
  check_both({50e9, 50e9}, flows, {.16, .16, .16, .16, .16, .16, .16, .16, .02});
}

TEST_CASE("a flow gets what a bottleneck elsewhere leaves free") {
  // Links: port of g0, port of g2, NIC. g0 sends 1 GB inside the node, g0 and g2 1 GB each to the remote node:
  // 25 GB/s each on the NIC, 425 GB/s left on the port of g0.
  check_both({450e9, 450e9, 50e9}, {{{0}, 1e9}, {{0, 2}, 1e9}, {{1, 2}, 1e9}}, {1 / 425.0, .04, .04});
}

TEST_CASE("three flows into one port share it, and a private link caps a flow") {
  check_both({450e9}, {{{0}, 1e9}, {{0}, 1e9}, {{0}, 1e9}}, {3 / 450.0, 3 / 450.0, 3 / 450.0});
  check_both({450e9, 100e9}, {{{0, 1}, 1e9}, {{0}, 1e9}}, {0.01, 1 / 350.0});
}

TEST_CASE("flows that start at the end of another and timers interleave in time") {
  const auto experiment = [](FlowNetwork& network) {
    const FlowPath path = network.add_path(std::vector<FlowLink>{network.add_link(BytesPerSecond(1e9))}, Seconds(1e-3));
    Times times;
    const auto stamp = [&] { times.push_back(network.now().value); };
    network.at(Seconds(5e-3), stamp);
    network.send(path, Bytes(1e6), [&] {
      stamp();
      network.send(path, Bytes(2e6), stamp);
      network.at(network.now(), stamp);
    });
    network.run();
    times.push_back(static_cast<double>(network.flows()));
    times.push_back(static_cast<double>(network.events()));
    return times;
  };
  const Times expected{2e-3, 2e-3, 5e-3, 5e-3, 2, 4};
  const Times simgrid = on_simgrid(experiment), own = on_max_min(experiment);
  REQUIRE(simgrid.size() == 6);
  REQUIRE(own.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(simgrid[i] == Approx(expected[i]).epsilon(1e-12));
    CHECK(own[i] == Approx(expected[i]).epsilon(1e-12));
  }
}

TEST_CASE("SimGrid and our own solver agree on random networks to 1e-12") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto [links, flows] = random_network(seed);
    const Times simgrid = on_simgrid(ends_of(links, flows)), own = on_max_min(ends_of(links, flows));
    for (std::size_t i = 0; i < flows.size(); ++i) {
      INFO("seed " << seed << " flow " << i << " of " << flows.size());
      CHECK(own[i] == Approx(simgrid[i]).epsilon(1e-12));
    }
  }
}

TEST_CASE("the same experiment gives the same bits twice") {
  const auto [links, flows] = random_network(7);
  CHECK(bytes_of(on_simgrid(ends_of(links, flows))) == bytes_of(on_simgrid(ends_of(links, flows))));
  CHECK(bytes_of(on_max_min(ends_of(links, flows))) == bytes_of(on_max_min(ends_of(links, flows))));
}

TEST_CASE("a network refuses links without bandwidth, and SimGrid refuses a second engine and late links") {
  CHECK_THROWS_AS(make_max_min_flow_network()->add_link(BytesPerSecond(0)), std::invalid_argument);
  const auto refused = [](const std::function<void()>& act) {
    return in_child([&] {
      act();
      return std::string("accepted");
    });
  };
  CHECK_THROWS_WITH(refused([] { make_simgrid_flow_network()->add_link(BytesPerSecond(0)); }),
                    Catch::Matchers::ContainsSubstring("bandwidth above 0"));
  CHECK_THROWS_WITH(refused([] {
                      const auto first = make_simgrid_flow_network();
                      make_simgrid_flow_network();
                    }),
                    Catch::Matchers::ContainsSubstring("second SimGrid engine"));
  CHECK_THROWS_WITH(refused([] {
                      const auto network = make_simgrid_flow_network();
                      network->run();
                      network->add_link(BytesPerSecond(1));
                    }),
                    Catch::Matchers::ContainsSubstring("before run()"));
}

TEST_CASE("our own solver ends 4096 independent flows and 256 flows on one link at once") {
  std::vector<double> links(4096, 1e9);
  std::vector<FlowSpec> flows;
  for (FlowLink l = 0; l < 4096; ++l) flows.push_back({{l}, 1e6 * (l + 1)});
  const Times ends = on_max_min(ends_of(links, flows));
  for (std::size_t i = 0; i < ends.size(); ++i) CHECK(ends[i] == Approx(1e-3 * static_cast<double>(i + 1)));

  const Times shared = on_max_min(ends_of({1e9}, std::vector<FlowSpec>(256, FlowSpec{{0}, 1e6})));
  for (const double end : shared) CHECK(end == Approx(0.256));
}
