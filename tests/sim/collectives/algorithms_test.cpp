#include "sim/collectives/algorithms.hpp"

#include <algorithm>
#include <map>

#include "bare_clusters.hpp"
#include "catch.hpp"
#include "sim/collectives/nvlink_cycles.hpp"
#include "sim/collectives/planner.hpp"
#include "tests/oracles/symbolic.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

std::vector<Cluster> clusters() {
  std::vector<Cluster> all;
  for (int n = 1; n <= 17; ++n) all.push_back(switched_cluster(1, n));
  for (const Grid& grid :
       {Grid{{5, false}, {1, false}}, Grid{{5, true}, {1, false}}, Grid{{1, false}, {5, true}},
        Grid{{2, false}, {3, false}}, Grid{{2, false}, {3, true}}, Grid{{3, true}, {4, true}},
        Grid{{4, true}, {4, true}}, Grid{{4, false}, {4, false}}, Grid{{5, false}, {3, true}},
        Grid{{3, true}, {5, false}}, Grid{{5, true}, {3, true}}, Grid{{3, true}, {2, false}, {4, true}}})
    all.push_back(grid_cluster(grid));
  all.push_back(switched_cluster(2, 3));
  all.push_back(switched_cluster(3, 4));
  for (const char* const machine : {"dgx1-p100", "dgx1-v100"}) {
    for (const int ranks : {2, 4, 8}) all.push_back(build_cluster(machine, ranks));
    all.push_back(build_cluster(std::string(machine) + ":nodes=2"));
    all.push_back(build_cluster(std::string(machine) + ":nodes=3"));
  }
  return all;
}

const std::vector<CollectiveKind>& kinds() {
  using enum CollectiveKind;
  static const std::vector<CollectiveKind> all{all_reduce, reduce_scatter, all_gather,  broadcast,
                                               all_to_all, halo_exchange,  send_receive};
  return all;
}

// Elements that each rank sends in a schedule.
std::vector<std::uint64_t> elements_sent(const Schedule& schedule) {
  std::vector<std::uint64_t> sent(schedule.ranks, 0);
  for (const Lane& lane : schedule.lanes)
    for (const Phase& phase : lane.phases)
      for (const PhaseGroup& group : phase.groups)
        for (int round = 0; round < round_count(group); ++round)
          for (const Send& send : round_sends(group, round)) sent[group.ranks[send.from]] += send.data.size();
  return sent;
}

std::map<std::pair<int, int>, int> ring_hops(const std::vector<std::vector<int>>& rings) {
  std::map<std::pair<int, int>, int> hops;
  for (const auto& ring : rings)
    for (std::size_t p = 0; p < ring.size(); ++p) ++hops[{ring[p], ring[(p + 1) % ring.size()]}];
  return hops;
}

}  // namespace

TEST_CASE("every algorithm does what its collective promises on every cluster that it runs on") {
  for (const Cluster& cluster : clusters()) {
    const auto ranks = static_cast<std::uint64_t>(cluster.ranks());
    for (const CollectiveKind kind : kinds()) {
      for (const std::string& algorithm : possible_algorithms(cluster, kind)) {
        for (const std::uint64_t elements :
             {std::uint64_t{1}, std::uint64_t{7}, ranks - 1, ranks, ranks + 1, std::uint64_t{1000}}) {
          INFO(cluster.name << ", " << name(kind) << ", " << algorithm << ", " << elements << " elements");
          const Schedule schedule = build_schedule(algorithm, {cluster, kind, elements, 3});
          REQUIRE(schedule.algorithm == algorithm);
          REQUIRE(schedule_fault(schedule) == "");
        }
      }
    }
  }
}

TEST_CASE("every kind has an algorithm on every cluster") {
  for (const Cluster& cluster : clusters()) {
    for (const CollectiveKind kind : kinds()) CHECK_FALSE(possible_algorithms(cluster, kind).empty());
  }
}

TEST_CASE("the bandwidth-optimal all-reduces send 2(n-1)/n of the payload from every rank") {
  const auto check = [](const Cluster& cluster, const std::string& algorithm) {
    const auto ranks = static_cast<std::uint64_t>(cluster.ranks());
    const Schedule schedule = build_schedule(algorithm, {cluster, CollectiveKind::all_reduce, 48 * ranks});
    INFO(cluster.name << ", " << algorithm);
    for (const std::uint64_t sent : elements_sent(schedule)) CHECK(sent == 2 * 48 * (ranks - 1));
  };
  const Cluster torus = grid_cluster({{4, true}, {4, true}});
  for (const char* const algorithm : {"torus-2d", "torus-2d-both", "torus-2d-one-way", "ring", "ring-bidirectional"})
    check(torus, algorithm);
  check(switched_cluster(3, 4), "hierarchical");
  check(build_cluster("dgx1-p100"), "nvlink-rings");
  check(build_cluster("dgx1-v100"), "nvlink-rings");
}

TEST_CASE("a 2-D all-reduce runs columns first and rows with the payload divided by Y") {
  const Schedule schedule =
      build_schedule("torus-2d-one-way", {grid_cluster({{4, true}, {2, false}}), CollectiveKind::all_reduce, 80});
  REQUIRE(schedule.lanes.size() == 1);
  const auto& phases = schedule.lanes[0].phases;
  REQUIRE(phases.size() == 3);
  CHECK(phases[0].name == "reduce-scatter along Y");
  CHECK(phases[1].name == "all-reduce along X");
  CHECK(phases[2].name == "all-gather along Y");
  CHECK(phases[0].groups[1].ranks == std::vector<int>{1, 5});
  CHECK(phases[0].groups[1].pattern == Pattern::line_reduce_scatter);
  CHECK(phases[1].groups[1].ranks == std::vector<int>{4, 5, 6, 7});
  CHECK(phases[1].groups[1].pattern == Pattern::ring_all_reduce);
  CHECK(phases[1].groups[1].data == Segment{40, 80});
}

TEST_CASE("a DGX-1 has 2 cycles of single NVLinks with P100 and 3 with V100, each in both directions") {
  for (const auto& [machine, rings] : {std::pair{"dgx1-p100", 4}, std::pair{"dgx1-v100", 6}}) {
    const Cluster cluster = build_cluster(machine);
    const auto found = nvlink_cycles(cluster, ranks_by_node(cluster).front());
    CHECK(found.size() == static_cast<std::size_t>(rings));
    // Each GPU has 4 (P100) or 6 (V100) links, so that every ring uses one of each GPU's in each direction.
    int hops = 0, doubles = 0;
    for (const auto& [hop, count] : ring_hops(found)) {
      hops += count;
      doubles += count == 2 ? 1 : 0;
      CHECK(count <= 2);
    }
    CHECK(hops == 8 * rings);
    CHECK(doubles == (rings == 4 ? 0 : 16));
  }
}

TEST_CASE("two V100 with a double NVLink have two rings, two P100 have one") {
  const Cluster v100 = build_cluster("dgx1-v100"), p100 = build_cluster("dgx1-p100");
  // nvidia-smi topo -m of a DGX-1 with V100: GPU0 has two links to GPU3 and one to GPU1.
  const auto count = [](const Cluster& cluster, int a, int b) {
    const auto order = ranks_by_node(cluster).front();
    const auto hops = ring_hops(nvlink_cycles(cluster, order));
    const auto at = hops.find({a, b});
    return at == hops.end() ? 0 : at->second;
  };
  CHECK(count(v100, 0, 3) == 2);
  CHECK(count(v100, 0, 1) == 1);
  CHECK(nvlink_cycles(p100, {0, 1}).size() == 1);
}

TEST_CASE("neighbours in the ring order of a grid with an even side are one hop apart, the last and the first too") {
  for (const Grid& grid : {Grid{{4, false}, {4, false}}, Grid{{3, false}, {4, false}}, Grid{{4, false}, {3, false}}}) {
    const auto order = ring_orders(whole_layout(grid_cluster(grid))).front();
    const int size = grid.front().size;
    auto sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (int rank = 0; rank < places_in(grid); ++rank) CHECK(sorted[rank] == rank);
    for (std::size_t p = 0; p < order.size(); ++p) {
      const int a = order[p], b = order[(p + 1) % order.size()];
      CHECK(std::abs(a % size - b % size) + std::abs(a / size - b / size) == 1);
    }
  }
}

TEST_CASE("every rank is a leaf in one of the two trees, but for one rank where their number is odd") {
  for (int n = 2; n <= 17; ++n) {
    const Schedule schedule = build_schedule("tree", {switched_cluster(1, n), CollectiveKind::all_reduce, 2});
    REQUIRE(schedule.lanes.size() == 2);
    std::map<int, int> inner;
    for (const Lane& lane : schedule.lanes) {
      const auto& ranks = lane.phases[0].groups[0].ranks;
      for (std::size_t p = 0; p < ranks.size(); p += 2) ++inner[ranks[p]];
    }
    CHECK(std::count_if(inner.begin(), inner.end(), [](const auto& entry) { return entry.second > 1; }) == n % 2);
  }
}
