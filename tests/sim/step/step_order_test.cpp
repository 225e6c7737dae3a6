#include "sim/step/step_order.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

using Vertices = std::vector<std::size_t>;

Vertices numbers(std::span<const std::uint32_t> list) { return {list.begin(), list.end()}; }

std::size_t append(StepGraph& graph, NodeKind kind, Stream stream, const Vertices& after, int role = 0) {
  StepNode node;
  node.kind = kind;
  node.stream = stream;
  node.role = role;
  return graph.add(node, after);
}

}  // namespace

TEST_CASE("a node waits for its edges and for the node before it on its stream, once") {
  StepGraph graph;
  const auto first = append(graph, NodeKind::kernel, Stream::compute, {});
  const auto exchange = append(graph, NodeKind::collective, Stream::communication, {first});
  const auto second = append(graph, NodeKind::kernel, Stream::compute, {first});
  const auto third = append(graph, NodeKind::kernel, Stream::compute, {exchange});
  const StepOrder order(graph);
  CHECK(order.size() == 4);
  CHECK(numbers(order.predecessors(first)) == Vertices{});
  CHECK(numbers(order.predecessors(second)) == Vertices{first});
  CHECK(numbers(order.predecessors(third)) == Vertices{exchange, second});
  CHECK(numbers(order.successors(first)) == Vertices{exchange, second});
  CHECK(numbers(order.successors(third)) == Vertices{});
}

TEST_CASE("each role has streams of its own") {
  StepGraph graph;
  const auto first = append(graph, NodeKind::kernel, Stream::compute, {}, 0);
  const auto other = append(graph, NodeKind::kernel, Stream::compute, {}, 1);
  const auto next = append(graph, NodeKind::kernel, Stream::compute, {}, 0);
  const StepOrder order(graph);
  CHECK(numbers(order.predecessors(other)) == Vertices{});
  CHECK(numbers(order.predecessors(next)) == Vertices{first});
}

TEST_CASE("a transfer waits for no stream and holds none up") {
  StepGraph graph;
  const auto first = append(graph, NodeKind::kernel, Stream::compute, {});
  const auto collective = append(graph, NodeKind::collective, Stream::exchange, {first});
  const auto transfer = append(graph, NodeKind::transfer, Stream::exchange, {first});
  const auto next = append(graph, NodeKind::collective, Stream::exchange, {first});
  const StepOrder order(graph);
  CHECK(numbers(order.predecessors(transfer)) == Vertices{first});
  CHECK(numbers(order.predecessors(next)) == Vertices{first, collective});
}

TEST_CASE("of a node's own stream the one just before it stands for all earlier ones") {
  StepGraph graph;
  const auto input = append(graph, NodeKind::host_work, Stream::host, {});
  const auto first = append(graph, NodeKind::kernel, Stream::compute, {input});
  const auto second = append(graph, NodeKind::kernel, Stream::compute, {first});
  const auto third = append(graph, NodeKind::kernel, Stream::compute, {first, input});
  const StepOrder order(graph);
  CHECK(numbers(order.predecessors(third)) == Vertices{input, first, second});
  CHECK(order.nearest_predecessors(third) == Vertices{input, second});
  CHECK(order.nearest_predecessors(first) == Vertices{input});
}

TEST_CASE("a node cannot wait for one that is not there yet") {
  StepGraph graph;
  const auto first = append(graph, NodeKind::kernel, Stream::compute, {});
  CHECK_THROWS_AS(append(graph, NodeKind::kernel, Stream::compute, {first + 1}), std::logic_error);
}
