#include "sim/explain/explain.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

struct Step {
  StepGraph graph;
  std::vector<Seconds> duration;
  Timeline timeline;

  std::size_t add(NodeKind kind, Stream stream, const std::string& name, double time, std::vector<std::size_t> after) {
    StepNode node;
    node.kind = kind;
    node.stream = stream;
    node.name = name;
    node.part = kind == NodeKind::collective ? StepPart::gradient_exchange : StepPart::backward;
    const auto vertex = graph.add(node, after);
    duration.emplace_back(time);
    return vertex;
  }
  void ran(std::size_t vertex, std::uint32_t rank_class, double begin, double end) {
    const StepNode& node = graph[vertex];
    timeline.spans.push_back({vertex, rank_class, node.stream, node.part, node.name, Seconds(begin), Seconds(end)});
  }
  std::vector<PathStep> path() const { return critical_path(StepSchedule(graph, duration), timeline); }
};

// Two kernels, an exchange after the first, an update after both.
struct Overlapped : Step {
  std::size_t first = add(NodeKind::kernel, Stream::compute, "stage2.conv", 1, {});
  std::size_t exchange = add(NodeKind::collective, Stream::communication, "all-reduce gradients 0", 4, {first});
  std::size_t second = add(NodeKind::kernel, Stream::compute, "stage1.conv", 2, {});
  std::size_t update = add(NodeKind::kernel, Stream::compute, "update", 0.5, {exchange});
};

}  // namespace

TEST_CASE("the path goes through what ended last") {
  Overlapped s;
  s.ran(s.first, 0, 0, 1);
  s.ran(s.exchange, 0, 1, 5);
  s.ran(s.second, 0, 1, 3);
  s.ran(s.update, 0, 5, 5.5);
  const auto path = s.path();
  REQUIRE(path.size() == 3);
  CHECK(path[0].vertex == s.first);
  CHECK(path[1].vertex == s.exchange);
  CHECK(path[2].vertex == s.update);
  CHECK(path[1].begin == Seconds(1));
  CHECK(path[2].end == Seconds(5.5));
}

TEST_CASE("a collective that waited leads to the class that came last") {
  Overlapped s;
  for (const auto& [c, slow] : {std::pair{0U, 1.0}, std::pair{1U, 3.0}}) {
    s.ran(s.first, c, 0, slow);
    s.ran(s.exchange, c, slow, 7);
    s.ran(s.second, c, slow, 3 * slow);
    s.ran(s.update, c, c == 0 ? 7 : 9, c == 0 ? 7.5 : 10);
  }
  // Class 1 ends last, after its own second kernel; without that, the path goes back over its first kernel too.
  auto path = s.path();
  REQUIRE(path.size() == 3);
  CHECK(path[0].rank_class == 1);
  CHECK(path[1].vertex == s.second);
  s.timeline.spans.back().end = Seconds(9);  // nothing
  s.timeline.spans.pop_back();
  s.timeline.spans.pop_back();  // and class 1 has no second kernel
  path = s.path();
  CHECK(path.back().vertex == s.update);
  CHECK(path.back().rank_class == 0);
  CHECK(path[0].vertex == s.first);
  CHECK(path[0].rank_class == 1);
  CHECK(path[1].begin == Seconds(3));
}

TEST_CASE("time in which nothing of the step runs is a wait") {
  Overlapped s;
  s.ran(s.first, 0, 0.25, 1);
  s.ran(s.second, 0, 2, 4);
  const auto path = s.path();
  REQUIRE(path.size() == 4);
  CHECK_FALSE(path[0].vertex);
  CHECK(path[0].end == Seconds(0.25));
  CHECK_FALSE(path[2].vertex);
  CHECK(path[2].begin == Seconds(1));
}

TEST_CASE("a path of many kernels is told in few segments that cover it") {
  Step s;
  double at = 0;
  for (int block = 0; block < 30; ++block) {
    for (int i = 0; i < 5; ++i, at += 1) {
      const auto v = s.add(NodeKind::kernel, Stream::compute, "block" + std::to_string(block) + ".conv", 1, {});
      s.ran(v, 0, at, at + 1);
    }
  }
  const StepSchedule schedule(s.graph, s.duration);
  const auto segments = path_segments(schedule, s.path());
  REQUIRE(segments.size() == 1);
  CHECK(segments[0].what == "backward");
  CHECK(segments[0].nodes == 150);
  CHECK(segments[0].compute == Seconds(150));
  const std::vector<PathStep> few{{0, 0, Seconds(0), Seconds(1)}, {5, 0, Seconds(1), Seconds(2)}};
  const auto two = path_segments(schedule, few);
  REQUIRE(two.size() == 2);
  CHECK(two[0].what == "backward block0");
  CHECK(two[1].what == "backward block1");
  CHECK(two[0].end == two[1].begin);
}
