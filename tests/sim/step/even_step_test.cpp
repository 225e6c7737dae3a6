#include "sim/step/step_order.hpp"

#include "catch.hpp"
#include "tests/sim/step/graph_nodes.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("an even step ends with its longest chain of edges and streams") {
  StepGraph graph;
  const auto first = add(graph, Stream::compute, {});
  const auto exchange = add(graph, Stream::communication, {first});
  const auto second = add(graph, Stream::compute, {});  // behind `first` on the stream, beside the exchange
  add(graph, Stream::compute, {exchange, second});
  const auto time = [&](double exchange_s) {
    return even_step_time(graph, {Seconds(1), Seconds(exchange_s), Seconds(4), Seconds(2)}).value;
  };
  CHECK(time(3) == 7);  // hidden
  CHECK(time(6) == 9);  // 2 s exposed
  CHECK(time(0) == 7);
}

TEST_CASE("an even step may end with what is not on the compute stream") {
  StepGraph graph;
  const auto only = add(graph, Stream::compute, {});
  add(graph, Stream::communication, {only});
  add(graph, Stream::compute, {});
  CHECK(even_step_time(graph, {Seconds(1), Seconds(5), Seconds(1)}) == Seconds(6));
  CHECK(even_step_time(StepGraph(), {}) == Seconds(0));
}
