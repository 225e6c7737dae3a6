// Times of nodes out of spans whose numbers can be checked by hand.
#include "replay/execution/node_times.hpp"

#include "catch.hpp"

namespace mlsim::test {
namespace {

using namespace replay;
using namespace workloads;

StepNode node_of(NodeKind kind, int role, int peer) {
  StepNode node;
  node.kind = kind;
  node.role = role;
  node.peer = peer;
  if (kind != NodeKind::kernel) node.stream = Stream::communication;
  return node;
}

StepSpans one_step(std::vector<ReplaySpan> spans) { return {std::move(spans)}; }

}  // namespace

TEST_CASE("a collective takes from its last rank's begin to its last rank's end") {
  StepGraph graph;
  graph.add(node_of(NodeKind::kernel, 0, 0), {});
  graph.add(node_of(NodeKind::collective, 0, 0), {});
  const std::vector<StepSpans> ranks{one_step({{0, Seconds(0), Seconds(1)}, {1, Seconds(1), Seconds(7)}}),
                                     one_step({{0, Seconds(0), Seconds(3)}, {1, Seconds(3), Seconds(6)}})};
  const auto nodes = node_times(graph, {ranks, ranks, ranks});
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].in_step.value == Approx(2));  // median of 1 s and 3 s
  CHECK(nodes[1].in_step.value == Approx(4));
  CHECK(nodes[1].exchange);
}

TEST_CASE("a transfer that queues behind another takes from that one's arrival") {
  StepGraph graph;
  graph.add(node_of(NodeKind::transfer, 0, 1), {});
  graph.add(node_of(NodeKind::transfer, 0, 1), {});
  // The sender is done early; the first arrives after 4 s, the second 3 s behind it.
  const std::vector<StepSpans> ranks{one_step({{0, Seconds(0), Seconds(1)}, {1, Seconds(1), Seconds(2)}}),
                                     one_step({{0, Seconds(0), Seconds(4)}, {1, Seconds(4), Seconds(7)}})};
  const auto nodes = node_times(graph, {ranks, ranks, ranks});
  CHECK(nodes[0].in_step.value == Approx(4));
  CHECK(nodes[1].in_step.value == Approx(3));
}

}  // namespace mlsim::test
