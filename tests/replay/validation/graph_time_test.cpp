// The order of a step's streams, with numbers that can be added up by hand.
#include "replay/validation/replay_error.hpp"

#include <vector>

#include "catch.hpp"

namespace mlsim::test {
namespace {

using namespace validation;
using namespace workloads;

StepVertex added(StepGraph& graph, NodeKind kind, const std::vector<StepVertex>& after, int role = 0, int peer = 0) {
  StepNode node;
  node.kind = kind;
  node.role = role;
  node.peer = peer;
  return graph.add(node, after);
}

}  // namespace

TEST_CASE("an exchange runs beside the kernels that do not wait for it") {
  StepGraph graph;
  const auto first = added(graph, NodeKind::kernel, {});              // 0 to 1
  const auto exchange = added(graph, NodeKind::collective, {first});  // 1 to 4
  const auto second = added(graph, NodeKind::kernel, {first});        // 1 to 3
  added(graph, NodeKind::kernel, {exchange, second});                 // 4 to 5
  const std::vector<Seconds> times{Seconds(1), Seconds(3), Seconds(2), Seconds(1)};
  CHECK(graph_time(graph, [&](StepVertex v) { return times[v]; }) == Seconds(5));
}

TEST_CASE("exchanges stand in line, and so do kernels") {
  StepGraph graph;
  const auto input = added(graph, NodeKind::host_work, {});
  for (int i = 0; i < 2; ++i) added(graph, NodeKind::collective, {input});
  for (int i = 0; i < 3; ++i) added(graph, NodeKind::kernel, {input});
  CHECK(graph_time(graph, [](StepVertex) { return Seconds(2); }) == Seconds(6));
}

TEST_CASE("stages of a pipeline run beside each other behind what they receive") {
  StepGraph graph;
  const auto forward = added(graph, NodeKind::kernel, {}, 0);               // 0 to 2
  const auto sent = added(graph, NodeKind::transfer, {forward}, 0, 1);      // 2 to 4
  const auto again = added(graph, NodeKind::kernel, {}, 0);                 // 2 to 4
  const auto sent_again = added(graph, NodeKind::transfer, {again}, 0, 1);  // 4 to 6
  added(graph, NodeKind::kernel, {sent}, 1);                                // 4 to 6
  added(graph, NodeKind::kernel, {sent_again}, 1);                          // 6 to 8
  CHECK(graph_time(graph, [](StepVertex) { return Seconds(2); }) == Seconds(8));
}

}  // namespace mlsim::test
