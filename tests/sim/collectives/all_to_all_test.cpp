// All-to-alls by the load of links against all pairs, one by one.
#include <algorithm>
#include <map>

#include "bare_clusters.hpp"
#include "catch.hpp"
#include "sim/collectives/all_to_all_cost.hpp"
#include "sim/fold/folded_program.hpp"
#include "sim/fold/program_run.hpp"
#include "sim/mesh/device_mesh.hpp"
#include "sim/mesh/mesh_mapping.hpp"
#include "sim/mesh/mesh_planner.hpp"
#include "sim/mesh/simulate_collective.hpp"
#include "topologies/cluster/defects.hpp"
#include "topologies/cluster/route.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

std::map<LinkIndex, double> messages_by_pairs(const Cluster& cluster, const std::vector<int>& ranks) {
  std::map<LinkIndex, double> messages;
  for (const int from : ranks)
    for (const int to : ranks)
      for (const LinkIndex link : route(cluster, from, to).links) ++messages[link];
  return messages;
}

int node_of(const Cluster& cluster, int rank) { return cluster.graph[cluster.rank_vertex[rank]].node; }

// The longest way; out of a node on NVSwitches over another accelerator's NIC.
double most_latency_by_pairs(const Cluster& cluster, const std::vector<int>& ranks) {
  double inside = 0, outside = 0;
  for (const int from : ranks)
    for (const int to : ranks) {
      double& most = cluster.grid || node_of(cluster, from) == node_of(cluster, to) ? inside : outside;
      most = std::max(most, route(cluster, from, to).latency.value);
    }
  const bool joined = outside > 0 && cluster.interconnect == Interconnect::nvswitch;
  return joined ? inside + outside : std::max(inside, outside);
}

// n (n - 1) flows in each group, all at once, on the network simulator.
double time_of_pairs(const Cluster& cluster, const std::vector<std::vector<int>>& groups, Bytes bytes) {
  FlowProgram program;
  program.rank_classes = 1;
  program.class_size = {static_cast<std::uint32_t>(cluster.ranks())};
  for (LinkIndex l = 0; l < cluster.links(); ++l) program.links.push_back(cluster.link(l).bandwidth);
  ProgramGroup all{{0}, {}, {}};
  for (const auto& ranks : groups)
    for (const int from : ranks)
      for (const int to : ranks) {
        if (from == to) continue;
        const Route way = route(cluster, from, to);
        const auto n = static_cast<double>(ranks.size());
        all.flows.push_back({{way.links.begin(), way.links.end()}, 1 / n, Seconds(0), {}});
      }
  program.lanes = {{{"pairs", {all}}}};
  program.ends = {{{0, 0}}};
  const auto network = make_flow_network(Engine::max_min);
  PlacedProgram placed(*network, program);
  double end = 0;
  const auto run = placed.start(bytes, [&](std::uint32_t) { end = network->now().value; });
  network->at(Seconds(0), [&] { run->arrive(0); });
  network->run();
  return end;
}

std::vector<Cluster> systems() {
  return {grid_cluster({{8, true}, {8, true}}),
          grid_cluster({{8, false}, {4, true}}),
          grid_cluster({{5, false}, {6, false}}),
          grid_cluster({{7, true}, {3, false}}),
          grid_cluster({{12, true}, {1, false}}),
          grid_cluster({{2, false}, {2, false}}),
          grid_cluster({{4, true}, {3, false}, {5, true}}),
          switched_cluster(1, 8),
          switched_cluster(4, 8),
          build_cluster("dgx1-v100"),
          build_cluster("dgx1-p100:nodes=3"),
          build_cluster("dgx-a100:nodes=8"),
          build_cluster("dgx-a100:nodes=6,nodes_per_leaf=2,oversubscription=4")};
}

std::vector<int> all_ranks(const Cluster& cluster) { return whole_layout(cluster).groups.front(); }

}  // namespace

TEST_CASE("what links carry of an all-to-all is what all its routes put on them, and so is the latency") {
  for (const Cluster& cluster : systems()) {
    HopTable hops(cluster, ideal_links());
    const std::vector<int> all = all_ranks(cluster);
    std::vector<int> odd, half(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
    for (const int rank : all)
      if (rank % 2 == 1) odd.push_back(rank);
    for (const auto& ranks : {all, odd, half}) {
      INFO(cluster.name << ", " << ranks.size() << " ranks");
      std::map<LinkIndex, double> found;
      const AllToAllLoad load = all_to_all_load(hops, ranks);
      for (const auto& [link, messages] : load.links) found[link] = messages;
      CHECK(found == messages_by_pairs(cluster, ranks));
      CHECK(load.latency.value == Approx(most_latency_by_pairs(cluster, ranks)).epsilon(1e-9));
    }
  }
}

// NCCL's getNetOverhead: 1 us a request on Intel's hosts, 2 on AMD's; three requests a message.
TEST_CASE("messages between nodes wait for the requests of those before them, not for one another") {
  const auto latency = [](const std::string& system) {
    const Cluster cluster = build_cluster(system);
    HopTable hops(cluster, fitted_links());
    return all_to_all_load(hops, all_ranks(cluster)).latency.value;
  };
  // A message to each other node of NVSwitches, to each accelerator of others.
  CHECK(latency("dgx-a100:nodes=8") - latency("dgx-a100:nodes=4") == Approx(4 * 3 * 2e-6));
  CHECK(latency("dgx2:nodes=3") - latency("dgx2:nodes=2") == Approx(3 * 1e-6));
  CHECK(latency("dgx1-v100:nodes=4") - latency("dgx1-v100:nodes=2") == Approx(16 * 3 * 1e-6));
  // Beyond 256 peers the rest waits.
  CHECK(latency("dgx-a100:nodes=33") > 1.9 * latency("dgx-a100:nodes=32"));
}

TEST_CASE("an all-to-all takes as long message by message as in closed form") {
  const Bytes bytes(6.4e6);
  for (const Cluster& cluster : {switched_cluster(1, 8), build_cluster("dgx2"), build_cluster("dgx-a100")}) {
    const auto plan = plan_collective(cluster, CollectiveKind::all_to_all, bytes, ideal_links());
    INFO(cluster.name);
    CHECK(simulate_collective(plan.schedule, cluster, ideal_links(), bytes, Fidelity::message, Engine::max_min)
              .time.value == Approx(plan.closed_form.value).epsilon(1e-3));
  }
}

TEST_CASE("around a failed link every pair of a small grid is routed, and a large one goes the way round it") {
  const auto busiest = [](const Cluster& cluster, bool by_pairs) {
    HopTable hops(cluster, ideal_links());
    double most = 0;
    if (by_pairs) {
      for (const auto& [link, messages] : messages_by_pairs(cluster, all_ranks(cluster)))
        most = std::max(most, messages);
    } else {
      for (const auto& [link, messages] : all_to_all_load(hops, all_ranks(cluster)).links)
        most = std::max(most, messages);
    }
    return most;
  };
  const std::vector<Defects::SlowLink> failed{parse_failed_link("x2y3-x3y3")};
  const Cluster small = build_cluster("torus8x8", 0, {failed, {}, {}}),
                large = build_cluster("torus20x16", 0, {failed, {}, {}});
  CHECK(busiest(small, false) == busiest(small, true));
  CHECK(busiest(small, true) > busiest(build_cluster("torus8x8"), true));
  CHECK(busiest(large, false) >= busiest(large, true));
  CHECK(busiest(large, false) <= 1.7 * busiest(large, true));
}

TEST_CASE("an all-to-all by the load of links takes as long as n (n - 1) flows at once, folded and in closed form") {
  const Bytes bytes(6.4e7);
  for (const Cluster& cluster : systems()) {
    const Schedule schedule = plan_collective(cluster, CollectiveKind::all_to_all, bytes, ideal_links()).schedule;
    HopTable hops(cluster, ideal_links());
    const double latency = all_to_all_load(hops, all_ranks(cluster)).latency.value;
    const double pairs = latency + time_of_pairs(cluster, {all_ranks(cluster)}, bytes);
    INFO(cluster.name);
    for (const Fidelity fidelity : {Fidelity::closed, Fidelity::folded, Fidelity::fluid})
      CHECK(simulate_collective(schedule, cluster, ideal_links(), bytes, fidelity, Engine::max_min).time.value ==
            Approx(pairs).epsilon(0.01));
  }
}

TEST_CASE("all-to-alls in all groups of a mesh share the links as their flows at once do") {
  const Bytes bytes(6.4e7);
  for (const Cluster& cluster : {grid_cluster({{8, true}, {8, true}}), grid_cluster({{16, false}, {4, true}}),
                                 build_cluster("dgx-a100:nodes=8"), build_cluster("dgx1-v100:nodes=8")}) {
    Parallelism parallelism;
    parallelism[Axis::expert] = 16;
    parallelism[Axis::data] = 4;
    for (const DeviceMesh& mesh : possible_meshes(cluster, parallelism)) {
      const ExchangeKey key{CollectiveKind::all_to_all, Axis::expert, 0, 0};
      HopTable hops(cluster, ideal_links());
      const PlannedCollective plan = plan_exchange(hops, mesh, key, bytes);
      const double pairs = time_of_pairs(cluster, plan.schedule.groups, bytes);
      const double latency = plan.cost.time(Bytes(0)).value;
      INFO(cluster.name << ": " << mesh.text());
      CHECK(plan.closed_form.value == Approx(pairs + latency).epsilon(0.01));
      for (const Fidelity fidelity : {Fidelity::folded, Fidelity::fluid})
        CHECK(simulate_collective(plan.schedule, cluster, ideal_links(), bytes, fidelity, Engine::max_min).time.value ==
              Approx(pairs + latency).epsilon(0.01));
    }
  }
}

// GShard, arXiv:2006.16668, figure 9: 9 times as long on 2048 TPU v3 cores, 1024 chips, as on 16, 8 chips.
TEST_CASE("an all-to-all of few bytes on a torus grows with the length of its sides") {
  const auto time = [](const char* name) {
    return plan_collective(build_cluster(name), CollectiveKind::all_to_all, Bytes(1e4), ideal_links())
        .closed_form.value;
  };
  CHECK(time("torus32x32") / time("torus8x8") == Approx(4).epsilon(0.02));
}

// models.md 2.4 [S]: T >= max(X, Y) S / (8 w) from the bisection, twice that without wrap.
TEST_CASE("an all-to-all of 2048 and 4096 ranks reaches the bisection bound of its torus") {
  for (const auto& [name, longest, wraps] : {std::tuple{"torus64x32", 64, true}, std::tuple{"torus64x64", 64, true},
                                             std::tuple{"torus128x32", 128, false}}) {
    const Cluster cluster = build_cluster(name);
    const Bytes bytes(1e9);
    const auto plan = plan_collective(cluster, CollectiveKind::all_to_all, bytes, ideal_links());
    const double bound = longest * bytes.value / (8 * cluster.link(0).bandwidth.value) * (wraps ? 1 : 2);
    INFO(name);
    const double moved = plan.closed_form.value - plan.cost.time(Bytes(0)).value;
    CHECK(moved >= 0.999 * bound);
    CHECK(moved == Approx(bound).epsilon(0.05));
    const FoldedProgram program = folded_program(plan.schedule, cluster, ideal_links(),
                                                 std::vector<std::uint32_t>(cluster.rank_vertex.size(), 0));
    CHECK(program.folded);
    CHECK(program.program.rank_classes == 1);
    CHECK(program.program.flow_count() <= 512);
    CHECK(simulate_collective(plan.schedule, cluster, ideal_links(), bytes, Fidelity::folded).time.value ==
          Approx(plan.closed_form.value).epsilon(1e-6));
  }
}
