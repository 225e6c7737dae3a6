#include "sim/step/step_schedule.hpp"

#include "catch.hpp"
#include "tests/sim/step/graph_nodes.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("what waits for a collective is open, the rest is fixed") {
  StepGraph graph;
  const auto input = add(graph, NodeKind::host_work, Stream::host, {});
  const auto first = add(graph, NodeKind::kernel, Stream::compute, {input});
  const auto exchange = add(graph, NodeKind::collective, Stream::communication, {first});
  const auto second = add(graph, NodeKind::kernel, Stream::compute, {first});
  const auto update = add(graph, NodeKind::kernel, Stream::compute, {exchange});
  const StepSchedule schedule(graph, {Seconds(1), Seconds(2), Seconds(100), Seconds(3), Seconds(1)});
  CHECK(schedule.open() == std::vector<std::size_t>{exchange, update});
  const auto fixed = schedule.fixed_part(1.0);
  CHECK(fixed[second].begin.value == 3);
  CHECK(fixed[second].end.value == 6);
  // The update follows the second kernel on the compute stream although no edge says so.
  const auto before = schedule.predecessors(update);
  CHECK(std::vector<std::size_t>(before.begin(), before.end()) == std::vector<std::size_t>{exchange, second});
}

TEST_CASE("a slow chip stretches kernels but not host work") {
  StepGraph graph;
  const auto input = add(graph, NodeKind::host_work, Stream::host, {});
  const auto kernel = add(graph, NodeKind::kernel, Stream::compute, {input});
  const StepSchedule schedule(graph, {Seconds(1), Seconds(2)});
  const auto fixed = schedule.fixed_part(0.5);
  CHECK(fixed[input].end.value == 1);
  CHECK(fixed[kernel].end.value == 5);
}
