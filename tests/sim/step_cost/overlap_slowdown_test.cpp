#include "sim/step_cost/step_cost.hpp"

#include <numeric>

#include "catch.hpp"
#include "sim/step/step_order.hpp"
#include "tests/sim/step/graph_nodes.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

// One stream of kernels of 1 s each beside one collective of `exchange` that the first of them starts.
Seconds end_of(int kernels, Seconds exchange, double slowdown) {
  StepGraph graph;
  std::vector<Seconds> duration;
  std::size_t first = 0;
  for (int i = 0; i < kernels; ++i) {
    const auto v = add(graph, Stream::compute, {});
    duration.emplace_back(1);
    if (i > 0) continue;
    first = v;
    add(graph, Stream::communication, {first});
    duration.push_back(exchange);
  }
  return even_step_time(graph, slowed_by_exchange(graph, duration, slowdown));
}

}  // namespace

TEST_CASE("a stream of kernels beside one collective ends when the formula says") {
  // After the first second, W seconds of work meet a collective of C: while it lasts, C / (1 + F) of them are done, the
  // rest runs alone; a collective that outlasts the work slows all of it.
  const auto formula = [](double work, double collective, double f) {
    const double hidden = collective / (1 + f);
    return 1 + (hidden < work ? collective + (work - hidden) : std::max(collective, work * (1 + f)));
  };
  for (const double f : {0.0, 0.1, 0.3, 1.0}) {
    for (const double c : {0.0, 0.25, 1.0, 3.7, 8.0, 30.0}) {
      INFO("slowdown " << f << ", collective " << c);
      CHECK(end_of(10, Seconds(c), f).value == Approx(formula(9, c, f)).epsilon(1e-12));
    }
  }
}

TEST_CASE("without slowdown, without overlap and on other streams nothing changes") {
  StepGraph graph;
  const auto kernel = add(graph, Stream::compute, {});
  const auto exchange = add(graph, Stream::communication, {kernel});
  add(graph, Stream::compute, {exchange});
  add(graph, Stream::host, {kernel});
  const std::vector<Seconds> duration{Seconds(1), Seconds(2), Seconds(3), Seconds(5)};
  CHECK(slowed_by_exchange(graph, duration, 0.5) == duration);
  CHECK(slowed_by_exchange(graph, duration, 0) == duration);
}

TEST_CASE("more slowdown never makes a kernel shorter") {
  double before = 0;
  for (const double f : {0.0, 0.01, 0.2, 0.5, 2.0}) {
    const double now = end_of(6, Seconds(2.5), f).value;
    CHECK(now >= before);
    before = now;
  }
  CHECK(before == Approx(1 + 2.5 + (5 - 2.5 / 3)));
}
