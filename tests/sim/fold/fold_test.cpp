#include <algorithm>
#include <limits>
#include <numeric>

#include "catch.hpp"
#include "sim/engine/child.hpp"
#include "sim/engine/flow_network.hpp"
#include "sim/engine/message_run.hpp"
#include "sim/fold/flow_program.hpp"
#include "sim/fold/folded_program.hpp"
#include "sim/fold/program_run.hpp"
#include "tests/sim/fold/systems.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

FoldedProgram folded(const Cluster& cluster, const std::string& algorithm, std::vector<std::uint32_t> initial = {}) {
  return folded_program(planned(cluster, CollectiveKind::all_reduce, algorithm), cluster, ideal_links(), initial);
}

/// When each rank leaves, with our own solver; `arrival` in seconds by rank.
std::vector<double> leaving(const FlowProgram& program, const std::vector<std::uint32_t>& rank_class,
                            const std::vector<double>& arrival) {
  const auto network = make_max_min_flow_network();
  PlacedProgram placed(*network, program);
  std::vector<double> left(program.rank_classes, -1), when(program.rank_classes);
  const auto run = placed.start(kPayload, [&](std::uint32_t c) { left[c] = network->now().value; });
  for (std::size_t r = 0; r < rank_class.size(); ++r) when[rank_class[r]] = arrival[r];
  for (std::uint32_t c = 0; c < program.rank_classes; ++c) network->at(Seconds(when[c]), [&run, c] { run->arrive(c); });
  network->run();
  CHECK(run->unfinished().empty());
  std::vector<double> by_rank;
  for (const std::uint32_t c : rank_class) by_rank.push_back(left[c]);
  return by_rank;
}

std::vector<std::uint32_t> identity(int ranks) {
  std::vector<std::uint32_t> result(ranks);
  std::iota(result.begin(), result.end(), 0u);
  return result;
}

}  // namespace

TEST_CASE("a healthy torus is one class of ranks and one flow for each phase and lane, at any size") {
  for (const std::string name : {"torus4x4", "torus16x16", "torus64x64"}) {
    const FoldedProgram program = folded(plain_grid(name), "torus-2d");
    CHECK(program.folded);
    CHECK(program.program.rank_classes == 1);
    CHECK(program.program.flow_count() == 6);
    CHECK(program.program.links.size() == 4);
  }
}

TEST_CASE("a healthy 3-D torus is one class with all six links busy, and takes as long as all its ranks do") {
  for (const std::string name : {"torus4x4x4", "torus16x16x16"}) {
    const FoldedProgram program = folded(plain_grid(name), "torus-3d");
    CHECK(program.program.rank_classes == 1);
    CHECK(program.program.links.size() == 6);
  }
  // Each of three orders moves a third of the payload, each of its two directions half of that: 2 (1 - 1/64) of it in
  // all, in 2 x 3 rounds of each of three dimensions.
  const Cluster cluster = plain_grid("torus4x4x4");
  const Schedule schedule = planned(cluster, CollectiveKind::all_reduce, "torus-3d");
  const auto whole = leaving(unfolded_program(schedule, cluster, ideal_links()), identity(64), std::vector<double>(64));
  const double bytes = 2 * (1 - 1.0 / 64) * kPayload.value / 6 / 50e9;
  for (const double each : whole) CHECK(each == Approx(bytes + 18e-6).epsilon(1e-6));
  const FoldedProgram program = folded(cluster, "torus-3d");
  CHECK(leaving(program.program, program.rank_class, std::vector<double>(64)).front() ==
        Approx(whole.front()).epsilon(1e-12));
}

TEST_CASE("slices fold to one class, which takes as long as all of their ranks") {
  const auto [name, algorithm] =
      GENERATE(table<std::string, std::string>({{"tpu-v5e-pod:slice=4x4:wrap=xy:slices=4", "torus-3d-in-turn"},
                                                {"tpu-v5p-pod:slice=4x4x4:slices=3", "torus-3d"}}));
  const Cluster cluster = build_cluster(name);
  const Schedule schedule = planned(cluster, CollectiveKind::all_reduce, algorithm);
  const std::vector<double> start(cluster.ranks());
  const auto whole = leaving(unfolded_program(schedule, cluster, ideal_links()), identity(cluster.ranks()), start);
  const FoldedProgram program = folded(cluster, algorithm);
  const auto classes = leaving(program.program, program.rank_class, start);
  REQUIRE(classes.size() == whole.size());
  for (std::size_t rank = 0; rank < whole.size(); ++rank) CHECK(classes[rank] == Approx(whole[rank]).epsilon(1e-9));
}

TEST_CASE("65536 ranks fold to one class") {
  const Cluster cluster = plain_grid("torus256x256");
  const FoldedProgram program = folded(cluster, "torus-2d");
  CHECK(program.program.rank_classes == 1);
  CHECK(program.program.class_size.at(0) == 65536);
}

TEST_CASE("a late rank is its own class, with those of its row and its column") {
  const Cluster cluster = plain_grid("torus8x8");
  std::vector<std::uint32_t> initial(64, 0);
  initial[2 * 8 + 5] = 1;  // x5 y2
  const FoldedProgram program = folded(cluster, "torus-2d-one-way", initial);
  CHECK(program.program.rank_classes == 4);
  CHECK(program.rank_class[2 * 8 + 5] != program.rank_class[3 * 8 + 5]);
  CHECK(program.rank_class[3 * 8 + 5] == program.rank_class[4 * 8 + 5]);
  CHECK(program.rank_class[2 * 8 + 1] == program.rank_class[2 * 8 + 7]);
  CHECK(program.rank_class[0] == program.rank_class[63]);

  std::vector<double> arrival(64, 0);
  arrival[2 * 8 + 5] = 0.5e-3;
  const Schedule schedule = planned(cluster, CollectiveKind::all_reduce, "torus-2d-one-way");
  const auto quotient = leaving(program.program, program.rank_class, arrival);
  const auto whole = leaving(unfolded_program(schedule, cluster, ideal_links()), identity(64), arrival);
  for (std::size_t r = 0; r < 64; ++r) CHECK(quotient[r] == Approx(whole[r]).epsilon(1e-12));
  CHECK(*std::max_element(whole.begin(), whole.end()) == Approx(0.5e-3 + torus_time(8, 8)).epsilon(1e-12));
}

TEST_CASE("ranks of two speeds in a chequered pattern are two classes") {
  std::vector<std::uint32_t> initial;
  for (std::uint32_t y = 0; y < 8; ++y)
    for (std::uint32_t x = 0; x < 8; ++x) initial.push_back((x + y) % 2);
  CHECK(folded(plain_grid("torus8x8"), "torus-2d", initial).program.rank_classes == 2);
}

TEST_CASE("two collectives at once share the links of one program") {
  const Cluster cluster = plain_grid("torus8x1");
  const FoldedProgram program = folded(cluster, "ring");
  const auto network = make_max_min_flow_network();
  PlacedProgram placed(*network, program.program);
  double first = 0, second = 0;
  const auto a = placed.start(kPayload, [&](std::uint32_t) { first = network->now().value; });
  const auto b = placed.start(kPayload, [&](std::uint32_t) { second = network->now().value; });
  network->at(Seconds(0), [&] {
    a->arrive(0);
    b->arrive(0);
  });
  network->run();
  const double bytes = 14 * kPayload.value / 8 / 50e9;
  CHECK(first == Approx(2 * bytes + 14e-6).epsilon(1e-12));
  CHECK(second == Approx(first));
}

TEST_CASE("a program that some ranks never join says so") {
  const Cluster cluster = plain_grid("torus4x1");
  std::vector<std::uint32_t> initial{0, 1, 1, 1};
  const FoldedProgram program = folded(cluster, "ring", initial);
  REQUIRE(program.program.rank_classes == 2);
  const auto network = make_max_min_flow_network();
  PlacedProgram placed(*network, program.program);
  const auto run = placed.start(kPayload, [](std::uint32_t) { FAIL("nobody can leave"); });
  run->arrive(1);
  network->run();
  CHECK_THAT(run->unfinished(), Catch::Matchers::ContainsSubstring("rank class 0 (1 ranks) has not joined"));
  CHECK_THROWS_AS(run->arrive(1), std::logic_error);
}

TEST_CASE("a rank that never comes is named with the message that others wait for") {
  const Cluster cluster = plain_grid("torus4x1");
  const Schedule schedule = planned(cluster, CollectiveKind::all_reduce, "ring");
  std::vector<Seconds> arrival(4);
  arrival[2] = Seconds(std::numeric_limits<double>::infinity());
  CHECK_THROWS_WITH(in_child([&]() -> std::string {
                      run_messages(schedule, cluster, ideal_links(), kPayload, arrival);
                      return "done";
                    }),
                    Catch::Matchers::ContainsSubstring("rank 0 cannot finish ring: in round ") &&
                        Catch::Matchers::ContainsSubstring("rank 3"));
}

TEST_CASE("a late rank delays a ring by as much, message by message") {
  const Cluster cluster = plain_grid("torus8x1");
  const Schedule schedule = planned(cluster, CollectiveKind::all_reduce, "ring");
  std::vector<Seconds> arrival(8);
  arrival[3] = milliseconds(1);
  const std::string time = in_child([&] {
    return std::to_string(run_messages(schedule, cluster, ideal_links(), kPayload, arrival).time.value * 1e9);
  });
  CHECK(std::stod(time) == Approx(1e9 * (1e-3 + 14 * (kPayload.value / 8 / 50e9 + 1e-6))).epsilon(1e-9));
}

TEST_CASE("a single rank has nothing to wait for") {
  const Cluster cluster = plain_grid("torus2x1");
  Schedule schedule;
  schedule.ranks = 1;
  schedule.elements = 8;
  const FoldedProgram program = folded_program(schedule, cluster, ideal_links(), {0});
  CHECK(leaving(program.program, program.rank_class, {0.25}) == std::vector<double>{0.25});
}

TEST_CASE("copies of flow classes keep the ratio in which they share a link") {
  // Link class 0 carries 2 flows of class 0 and 3 of class 1 on each link; class 1 only flow class 1, one a link.
  const auto scale = quotient_scale(3, 3, {{0, 0, 2}, {0, 1, 3}, {1, 1, 1}}, 100);
  REQUIRE(scale);
  CHECK(scale->copies == std::vector<std::uint64_t>{2, 3, 1});
  CHECK(scale->capacity == std::vector<double>{1, 3, 1});
  CHECK(quotient_scale(1, 1, {{0, 0, 8}}, 100)->capacity == std::vector<double>{0.125});
  // Contradiction: as many as, and twice as many as, the other.
  CHECK_FALSE(quotient_scale(2, 2, {{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 2}}, 100));
  CHECK_FALSE(quotient_scale(2, 1, {{0, 0, 1}, {0, 1, 1000}}, 100));
}
