#include "sim/collectives/planner.hpp"

#include <cmath>

#include "bare_clusters.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/collectives/algorithms.hpp"
#include "sim/collectives/schedule_cost.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const Bytes kReferencePayload(104857600);

double forced_time(const Cluster& cluster, const std::string& algorithm, Bytes bytes,
                   CollectiveKind kind = CollectiveKind::all_reduce) {
  return plan_collective(cluster, kind, bytes, ideal_links(), algorithm).closed_form.value;
}

std::string chosen(const Cluster& cluster, double bytes) {
  return plan_collective(cluster, CollectiveKind::all_reduce, Bytes(bytes), ideal_links()).schedule.algorithm;
}

// Both directions of the link between two ranks at a share of their rate.
Cluster slowed(Cluster cluster, std::uint32_t a, std::uint32_t b, double factor) {
  const auto [begin, end] = boost::edges(cluster.graph);
  for (auto edge = begin; edge != end; ++edge) {
    const auto from = boost::source(*edge, cluster.graph), to = boost::target(*edge, cluster.graph);
    if ((from == a && to == b) || (from == b && to == a)) cluster.graph[*edge].bandwidth *= factor;
  }
  return cluster;
}

}  // namespace

// T = 2(Y-1)(S/Y/B + L) + 2(X-1)(S/(XY)/B + L) with B = 50 GB/s, L = 1 us, S = 100 MiB.
TEST_CASE("what is gathered takes as long as what is scattered, by every algorithm that can do both") {
  for (const char* const name :
       {"torus4x4", "torus4x4x4:accelerator=tpu-v4", "mesh2x8", "dgx-h100:nodes=4", "dgx1-v100"}) {
    const Cluster cluster = topologies::build_cluster(name);
    const std::vector<std::string> algorithms = possible_algorithms(cluster, CollectiveKind::reduce_scatter);
    CHECK(algorithms == possible_algorithms(cluster, CollectiveKind::all_gather));
    for (const std::string& algorithm : algorithms) {
      INFO(name << " " << algorithm);
      CHECK(forced_time(cluster, algorithm, kReferencePayload, CollectiveKind::all_gather) ==
            Approx(forced_time(cluster, algorithm, kReferencePayload, CollectiveKind::reduce_scatter)).epsilon(1e-12));
    }
  }
}

TEST_CASE("one direction of a torus takes 4.23792, 4.314208 and 4.50928 ms for 256, 1024 and 4096 ranks") {
  const auto time = [](Grid grid) { return forced_time(grid_cluster(grid), "torus-2d-one-way", kReferencePayload); };
  CHECK(time({{16, true}, {16, true}}) == Approx(0.00423792).epsilon(1e-12));
  CHECK(time({{32, true}, {32, true}}) == Approx(0.004314208).epsilon(1e-12));
  CHECK(time({{128, false}, {32, true}}) == Approx(0.00450928).epsilon(1e-12));
}

// The bytes take half as long with both directions and a quarter with both axes as well; the latency stays:
// 2(1 - 1/256) S / (k B) + 2 (15 + 15) us.
TEST_CASE("a torus of 256 with both directions halves the time of the bytes, both axes halve it again") {
  const Cluster torus = grid_cluster({{16, true}, {16, true}});
  const double bytes = 2.0 * 255 / 256 * 104857600 / 50e9;
  CHECK(forced_time(torus, "torus-2d", kReferencePayload) == Approx(bytes / 2 + 60e-6).epsilon(1e-12));
  CHECK(forced_time(torus, "torus-2d-both", kReferencePayload) == Approx(bytes / 4 + 60e-6).epsilon(1e-12));
}

// Both directions of 16x16 chips of 50 GB/s a link, then what is left, a 256th, between 4 slices with 3.125 GB/s a chip:
// 2 (1 - 1/256) S / 100 GB/s + 60 us + 2 x 3/4 S / 256 / 3.125 GB/s + 2 x 3 x 25 us; twice the rate where both dimensions
// are busy at once.
TEST_CASE("a sum over slices takes the network last, with the payload of one chip") {
  const Cluster slices = build_cluster("tpu-v5e-pod:slices=4");
  const double payload = kReferencePayload.value;
  const double inside = 2.0 * 255 / 256 * payload / 100e9, others = 60e-6 + 1.5 * payload / 256 / 3.125e9 + 150e-6;
  CHECK(chosen(slices, payload) == "torus-3d");
  CHECK(forced_time(slices, "torus-3d-in-turn", kReferencePayload) == Approx(inside + others).epsilon(1e-6));
  CHECK(forced_time(slices, "torus-3d", kReferencePayload) == Approx(inside / 2 + others).epsilon(1e-6));
}

// All three orders at once within a slice of 64 chips with 6 links of 100 GB/s, then a 64th between 2 slices with
// 6.25 GB/s a chip: 2 (1 - 1/64) S / 600 GB/s + 2 x (3 + 3 + 3) us + 2 x 1/2 S / 64 / 6.25 GB/s + 2 x 25 us.
TEST_CASE("slices of three dimensions use all of their links, then the network") {
  const Cluster slices = build_cluster("tpu-v5p-pod:slice=4x4x4:slices=2");
  const double payload = kReferencePayload.value;
  const double formula = 2.0 * 63 / 64 * payload / 600e9 + 18e-6 + payload / 64 / 6.25e9 + 50e-6;
  CHECK(chosen(slices, payload) == "torus-3d");
  CHECK(forced_time(slices, "torus-3d", kReferencePayload) == Approx(formula).epsilon(1e-6));
}

TEST_CASE("an axis without wrap takes twice as long for its bytes") {
  // 2 * 31/32 * S / B along the line of 32, both directions of it for one payload.
  const double bytes = 2.0 * 31 / 32 * 104857600 / 50e9;
  CHECK(forced_time(grid_cluster({{32, false}, {1, false}}), "line", kReferencePayload) == Approx(bytes + 62e-6));
  CHECK(forced_time(grid_cluster({{32, true}, {1, false}}), "ring-bidirectional", kReferencePayload) ==
        Approx(bytes / 2 + 62e-6));
}

TEST_CASE("reduce-scatter and all-gather take half an all-reduce on a torus") {
  const Cluster torus = grid_cluster({{4, true}, {8, true}});
  const double all_reduce = forced_time(torus, "torus-2d", kReferencePayload);
  for (const auto kind : {CollectiveKind::reduce_scatter, CollectiveKind::all_gather})
    CHECK(forced_time(torus, "torus-2d", kReferencePayload, kind) == Approx(all_reduce / 2).epsilon(1e-12));
}

TEST_CASE("one link at half its rate makes every round of its ring wait") {
  const Cluster ring = grid_cluster({{4, true}, {1, false}});
  // 6 rounds of 1 us and 1 MB at 50 or 25 GB/s.
  CHECK(forced_time(ring, "ring", Bytes(4e6)) == Approx(6 * 21e-6));
  CHECK(forced_time(slowed(ring, 1, 2, 0.5), "ring", Bytes(4e6)) == Approx(6 * 41e-6));
}

TEST_CASE("the rings of all local ranks share the NIC of their node") {
  // In the node 3 rounds of 2 us and 2 MB at 100 GB/s, in and out; between nodes 4 rings of 2 MB at 10 GB/s and 2
  // rounds of 10 us.
  CHECK(forced_time(switched_cluster(2, 4), "hierarchical", Bytes(8e6)) ==
        Approx(2 * 3 * (2e-6 + 20e-6) + 4 * 2e6 / 10e9 + 20e-6));
}

TEST_CASE("the NVLink rings of a DGX-1 move 80 GB/s with P100 and 150 GB/s with V100") {
  for (const auto& [machine, rate] : {std::pair{"dgx1-p100", 80e9}, std::pair{"dgx1-v100", 150e9}}) {
    const Cluster cluster = build_cluster(machine);
    const double bytes =
        forced_time(cluster, "nvlink-rings", Bytes(2.4e9)) - forced_time(cluster, "nvlink-rings", Bytes(0));
    CHECK(bytes == Approx(2.0 * 7 / 8 * 2.4e9 / rate).epsilon(1e-9));
  }
}

TEST_CASE("the selector takes few rounds for small payloads and a ring for large ones") {
  const Cluster node = switched_cluster(1, 8);
  const std::string small = chosen(node, 8);
  CHECK((small == "tree" || small == "halving-doubling"));
  CHECK(chosen(node, 1e9) == "ring");
  CHECK(chosen(build_cluster("dgx1-v100"), 1e9) == "nvlink-rings");
  CHECK(chosen(switched_cluster(4, 8), 1e9) == "hierarchical");
}

TEST_CASE("the selector takes both axes of a square torus, and columns first where rows do not wrap") {
  CHECK(chosen(grid_cluster({{16, true}, {16, true}}), 104857600) == "torus-2d-both");
  CHECK(chosen(grid_cluster({{128, false}, {32, true}}), 104857600) == "torus-2d");
  CHECK(chosen(grid_cluster({{16, false}, {1, false}}), 104857600) == "line");
  CHECK(chosen(grid_cluster({{16, true}, {1, false}}), 104857600) == "ring-bidirectional");
}

TEST_CASE("no other algorithm is quicker than the chosen one by more than the margin") {
  for (const Cluster& cluster :
       {grid_cluster({{4, true}, {4, true}}), switched_cluster(3, 4), switched_cluster(1, 6)}) {
    for (const double bytes : {8.0, 1e5, 1e8}) {
      const auto plan = plan_collective(cluster, CollectiveKind::all_reduce, Bytes(bytes), fitted_links());
      for (const std::string& name : possible_algorithms(cluster, CollectiveKind::all_reduce)) {
        INFO(cluster.name << ", " << bytes << " bytes, " << name);
        const auto other = plan_collective(cluster, CollectiveKind::all_reduce, Bytes(bytes), fitted_links(), name);
        CHECK(plan.closed_form <= 1.05 * other.closed_form);
        CHECK(closed_form_time(other.schedule, cluster, fitted_links(), Bytes(bytes)) == other.closed_form);
      }
    }
  }
}

TEST_CASE("the reason names the runner-up and how long it would take") {
  const Cluster node = switched_cluster(1, 8);
  const auto plan = [&](double bytes, std::optional<std::string> forced = {}) {
    return plan_collective(node, CollectiveKind::all_reduce, Bytes(bytes), ideal_links(), forced).reason.text;
  };
  // 1 GB on a ring: 14 * 2 us + 1.75 GB / 100 GB/s = 17.528 ms; halving and doubling: 6 * 2 us = 17.512 ms.
  CHECK(plan(1e9) == "the plainest of those about as quick; halving-doubling would take 1.00x");
  // 1 MB: 29.5 against 45.5 us.
  CHECK(plan(1e6, "ring") == "forced; halving-doubling would take 0.65x");
  CHECK(plan_collective(node, CollectiveKind::all_to_all, Bytes(8), ideal_links()).reason.text ==
        "the only algorithm for all-to-all here");
  CHECK(plan_collective(switched_cluster(1, 1), CollectiveKind::all_reduce, Bytes(8), ideal_links()).reason.text ==
        "a single rank has nothing to exchange");
}

TEST_CASE("one rank needs no time for any kind") {
  for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::broadcast, CollectiveKind::all_to_all,
                                    CollectiveKind::halo_exchange, CollectiveKind::send_receive}) {
    const auto plan = plan_collective(switched_cluster(1, 1), kind, Bytes(1e6), fitted_links());
    CHECK(plan.closed_form == Seconds(0));
    CHECK(plan.schedule.lanes.empty());
  }
}

TEST_CASE("an unknown algorithm is an error with the nearest name, an impossible one lists those that can") {
  const Cluster node = switched_cluster(1, 4);
  const auto plan = [&](const std::string& name) {
    return plan_collective(node, CollectiveKind::all_reduce, Bytes(8), ideal_links(), name);
  };
  CHECK_THROWS_AS(plan("rign"), InputError);
  CHECK_THROWS_WITH(plan("rign"), ContainsSubstring("unknown collective algorithm \"rign\"; did you mean \"ring\"?"));
  CHECK_THROWS_AS(plan("torus-2d"), Infeasible);
  CHECK_THROWS_WITH(plan("torus-2d"),
                    ContainsSubstring("torus-2d cannot run all-reduce on 1 nodes of 4; these can: ring,"));
  CHECK_THROWS_AS(plan("pairwise"), Infeasible);
}

TEST_CASE("the structured algorithms are those of tori, of NVLink rings and of nodes") {
  std::vector<std::string> structured;
  for (const std::string& algorithm : algorithm_names())
    if (traits_of(algorithm).structured) structured.push_back(algorithm);
  CHECK(structured == std::vector<std::string>{"torus-2d", "torus-2d-both", "torus-2d-one-way", "torus-3d",
                                               "torus-3d-in-turn", "nvlink-rings", "hierarchical",
                                               "hierarchical-tree"});
  CHECK_THROWS_WITH(traits_of("rign"), ContainsSubstring("did you mean \"ring\"?"));
}

TEST_CASE("a line is costed on a row of a grid alone, and one direction of a torus nowhere") {
  const auto costed = [](const std::string& algorithm, const Cluster& cluster) {
    return traits_of(algorithm).worth_costing(whole_layout(cluster));
  };
  const Cluster row = build_cluster("mesh4x1"), torus = build_cluster("torus4x4"), box = build_cluster("dgx1-v100");
  CHECK(costed("line", row));
  CHECK_FALSE(costed("line", torus));
  CHECK_FALSE(costed("line", box));
  CHECK_FALSE(costed("torus-2d-one-way", torus));
}

TEST_CASE("the chunks of a pipelined broadcast are no worse than half or twice as many") {
  const Cluster node = switched_cluster(1, 8);
  for (const char* const algorithm : {"chain", "tree"}) {
    const auto plan = plan_collective(node, CollectiveKind::broadcast, Bytes(1e8), ideal_links(), algorithm);
    const int chunks = plan.schedule.lanes[0].phases[0].groups[0].chunks;
    CHECK(chunks > 1);
    for (const int other : {chunks / 2, chunks * 2}) {
      const Schedule schedule = build_schedule(algorithm, {node, CollectiveKind::broadcast, 100000000, other});
      CHECK(closed_form_time(schedule, node, ideal_links(), Bytes(1e8)) >= plan.closed_form);
    }
  }
}

TEST_CASE("an all-to-all on 8 ranks of a switch sends 7 eighths of the payload in 7 messages at once") {
  CHECK(forced_time(switched_cluster(1, 8), "pairwise", Bytes(8e6), CollectiveKind::all_to_all) ==
        Approx(2e-6 + 7e6 / 100e9));
}

TEST_CASE("every fitted link figure has a source and is a share of the line rate") {
  const LinkEfficiency fitted = fitted_links();
  for (const auto& entry : fitted.by_kind) {
    CHECK(entry.share > 0);
    CHECK(entry.share <= 1);
    CHECK(entry.message >= Seconds(0));
    CHECK_FALSE(entry.source.source.empty());
  }
  for (const auto& entry : ideal_links().by_kind) CHECK((entry.share == 1 && entry.message == Seconds(0)));
}

TEST_CASE("software latency counts once for each message, the largest of its links") {
  LinkEfficiency links = ideal_links();
  links[LinkKind::nvlink].message = microseconds(3);
  links[LinkKind::nic].message = microseconds(20);
  const auto latency = [&](const Cluster& cluster, CollectiveKind kind) {
    return plan_collective(cluster, kind, Bytes(0), links).closed_form.value;
  };
  CHECK(latency(switched_cluster(1, 2), CollectiveKind::send_receive) == Approx(2e-6 + 3e-6));
  CHECK(latency(switched_cluster(2, 1), CollectiveKind::send_receive) == Approx(10e-6 + 20e-6));
}
