#include "sim/stragglers/closed_steps.hpp"

#include <algorithm>
#include <numeric>

#include "catch.hpp"
#include "sim/step/step_order.hpp"
#include "sim/stragglers/rank_delays.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

struct Graph {
  StepGraph graph;
  std::vector<Seconds> duration;

  std::size_t add(NodeKind kind, Stream stream, double time, std::vector<std::size_t> after, int role = 0) {
    StepNode node;
    node.kind = kind;
    node.stream = stream;
    node.part = kind == NodeKind::host_work ? StepPart::input : StepPart::forward;
    node.axes = Axis::data;
    node.role = role;
    const auto vertex = graph.add(node, after);
    duration.emplace_back(time);
    return vertex;
  }
};

std::vector<std::vector<int>> one_group(int ranks) {
  std::vector<std::vector<int>> all(1, std::vector<int>(ranks));
  std::iota(all[0].begin(), all[0].end(), 0);
  return all;
}

// Input, a pass with two exchanges beside it, and an update after both.
Graph step() {
  Graph g;
  const auto input = g.add(NodeKind::host_work, Stream::host, 0.5, {});
  const auto first = g.add(NodeKind::kernel, Stream::compute, 1, {input});
  const auto second = g.add(NodeKind::kernel, Stream::compute, 2, {first});
  const auto one = g.add(NodeKind::collective, Stream::communication, 4, {second});
  const auto third = g.add(NodeKind::kernel, Stream::compute, 1.5, {second});
  const auto two = g.add(NodeKind::collective, Stream::communication, 0.25, {third});
  g.add(NodeKind::kernel, Stream::compute, 0.125, {one, two});
  return g;
}

}  // namespace

TEST_CASE("ranks that are alike end when the closed form says") {
  const Graph g = step();
  const ClosedSteps steps(g.graph, g.duration, 3, {}, [](AxisSet, int) { return one_group(3); });
  CHECK(steps.end(std::vector<RankDelay>(3)) == even_step_time(g.graph, g.duration));
  CHECK(steps.end_of_slowest(1) == even_step_time(g.graph, g.duration));
}

TEST_CASE("a step is as long as that of its slowest rank where only compute differs") {
  const Graph g = step();
  constexpr int kRanks = 24;
  const ClosedSteps steps(g.graph, g.duration, kRanks, {}, [](AxisSet, int) {
    std::vector<std::vector<int>> groups;  // of four ranks: whichever groups there are
    for (int first = 0; first < kRanks; first += 4) groups.push_back({first, first + 1, first + 2, first + 3});
    return groups;
  });
  for (std::uint64_t round = 0; round < 20; ++round) {
    std::vector<RankDelay> ranks(kRanks);
    double slowest = 0;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      ranks[r].slowdown = 0.5 + draw(3, DrawFor::jitter, round, r);
      slowest = std::max(slowest, ranks[r].slowdown);
    }
    CHECK(steps.end(ranks).value == Approx(steps.end_of_slowest(slowest).value).epsilon(1e-12));
  }
}

TEST_CASE("an exchange that is late anyway hides late input and slow kernels") {
  const Graph g = step();
  const ClosedSteps steps(g.graph, g.duration, 2, {}, [](AxisSet, int) { return one_group(2); });
  // 0.5 + 1 + 2, then the exchanges 4 and 0.25, then 0.125.
  CHECK(steps.end({{1, Seconds(0)}, {1, Seconds(0)}}).value == Approx(7.875));
  CHECK(steps.end({{1, Seconds(0)}, {1, Seconds(0.75)}}).value == Approx(8.625));
  // The slow rank joins at 0.5 + 2 x 3; its third kernel ends long before the first exchange does; its update is slow.
  CHECK(steps.end({{1, Seconds(0)}, {2, Seconds(0)}}).value == Approx(0.5 + 6 + 4.25 + 0.25));
}

TEST_CASE("groups wait for their own ranks only, and a transfer for its sender") {
  Graph g;
  const auto first = g.add(NodeKind::kernel, Stream::compute, 1, {}, 0);
  const auto send = g.add(NodeKind::transfer, Stream::exchange, 0.5, {first}, 0);
  g.graph[send].peer = 1;
  const auto second = g.add(NodeKind::kernel, Stream::compute, 3, {send}, 1);
  g.add(NodeKind::collective, Stream::communication, 1, {second}, 1);
  // Ranks 0 and 1 are stage 0 of two pipelines, 2 and 3 stage 1.
  const auto groups = [](AxisSet axes, int role) -> std::vector<std::vector<int>> {
    if (axes == AxisSet(Axis::pipeline)) return {{0, 2}, {1, 3}};
    return role == 0 ? std::vector<std::vector<int>>{{0, 1}} : std::vector<std::vector<int>>{{2, 3}};
  };
  const ClosedSteps steps(g.graph, g.duration, 4, {0, 0, 1, 1}, groups);
  CHECK_FALSE(steps.one_role());
  const Seconds none;
  CHECK(steps.end({{1, none}, {1, none}, {1, none}, {1, none}}).value == Approx(5.5));
  // Slow at both ends of one pipeline adds up; slow once in each does not.
  CHECK(steps.end({{2, none}, {1, none}, {2, none}, {1, none}}).value == Approx(2 + 0.5 + 6 + 1));
  CHECK(steps.end({{2, none}, {1, none}, {1, none}, {2, none}}).value == Approx(1 + 0.5 + 6 + 1));
}
