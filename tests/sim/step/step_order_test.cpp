#include "sim/step/step_order.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

using Vertices = std::vector<std::size_t>;

std::size_t append(StepGraph& graph, NodeKind kind, Stream stream, const Vertices& after, int role = 0) {
  StepNode node;
  node.kind = kind;
  node.stream = stream;
  node.role = role;
  const auto vertex = boost::add_vertex(node, graph);
  for (const auto u : after) boost::add_edge(u, vertex, graph);
  return vertex;
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
  CHECK(order.predecessors(first) == Vertices{});
  CHECK(order.predecessors(second) == Vertices{first});
  CHECK(order.predecessors(third) == Vertices{exchange, second});
  CHECK(order.successors(first) == Vertices{exchange, second});
  CHECK(order.successors(third) == Vertices{});
}

TEST_CASE("each role has streams of its own") {
  StepGraph graph;
  const auto first = append(graph, NodeKind::kernel, Stream::compute, {}, 0);
  const auto other = append(graph, NodeKind::kernel, Stream::compute, {}, 1);
  const auto next = append(graph, NodeKind::kernel, Stream::compute, {}, 0);
  const StepOrder order(graph);
  CHECK(order.predecessors(other) == Vertices{});
  CHECK(order.predecessors(next) == Vertices{first});
}

TEST_CASE("a transfer waits for no stream and holds none up") {
  StepGraph graph;
  const auto first = append(graph, NodeKind::kernel, Stream::compute, {});
  const auto collective = append(graph, NodeKind::collective, Stream::exchange, {first});
  const auto transfer = append(graph, NodeKind::transfer, Stream::exchange, {first});
  const auto next = append(graph, NodeKind::collective, Stream::exchange, {first});
  const StepOrder order(graph);
  CHECK(order.predecessors(transfer) == Vertices{first});
  CHECK(order.predecessors(next) == Vertices{first, collective});
}

TEST_CASE("of a node's own stream the one just before it stands for all earlier ones") {
  StepGraph graph;
  const auto input = append(graph, NodeKind::host_work, Stream::host, {});
  const auto first = append(graph, NodeKind::kernel, Stream::compute, {input});
  const auto second = append(graph, NodeKind::kernel, Stream::compute, {first});
  const auto third = append(graph, NodeKind::kernel, Stream::compute, {first, input});
  const StepOrder order(graph);
  CHECK(order.predecessors(third) == Vertices{first, input, second});
  CHECK(order.nearest_predecessors(third) == Vertices{input, second});
  CHECK(order.nearest_predecessors(first) == Vertices{input});
}
