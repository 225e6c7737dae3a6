// What a run says of its nodes, its steps and its clocks.
#include "replay/execution/replay_session.hpp"

#include <map>

#include "catch.hpp"
#include "perceptron.hpp"
#include "thread_library.hpp"

namespace mlsim::test {
namespace {

using namespace replay;

ReplayRun measured(int ranks, ReplayOrder order) {
  order.workload = perceptron_file();
  order.batch = 4;
  order.steps = 3;
  ReplayRun of_root;
  on_ranks(ranks, [&](World& world) {
    auto library = thread_library(world);
    const ReplayRun run = replayed(order, replay_plan(order, ranks), world, library);
    if (world.rank() == 0) of_root = run;
  });
  return of_root;
}

}  // namespace

TEST_CASE("every rank runs every node of every step behind what it waits for") {
  ReplayOrder order;
  order.bucket = Bytes(300);
  order.first_bucket = Bytes(20);
  const ReplayRun run = measured(2, order);
  order.workload = perceptron_file();
  order.batch = 4;
  const ReplayPlan plan = replay_plan(order, 2);
  CHECK(run.nodes.size() == plan.graph.size());
  REQUIRE(run.ranks.size() == 2);
  CHECK(run.step_times.size() == 3);
  CHECK(run.step_time.count == 3);
  for (const ReplayRankSteps& rank : run.ranks) {
    for (const auto& spans : rank.steps) {
      CHECK(spans.size() == plan.graph.size());
      std::map<int, ReplaySpan> by_vertex;
      for (const ReplaySpan& span : spans) by_vertex[span.vertex] = span;
      for (workloads::StepVertex after = 0; after < plan.graph.size(); ++after)
        for (const workloads::StepVertex before : plan.graph.predecessors(after))
          CHECK(by_vertex.at(static_cast<int>(before)).end <= by_vertex.at(static_cast<int>(after)).begin);
    }
  }
}

TEST_CASE("a step lasts from the first rank's begin to the last rank's end") {
  const ReplayRun run = measured(2, {});
  for (std::size_t s = 0; s < run.step_times.size(); ++s) {
    Seconds first(1), last;
    for (const ReplayRankSteps& rank : run.ranks) {
      for (const ReplaySpan& span : rank.steps[s]) {
        first = min(first, span.begin);
        last = max(last, span.end);
      }
    }
    CHECK(first == Seconds(0));
    CHECK(last.value == Approx(run.step_times[s].value));
  }
}

TEST_CASE("one rank alone exchanges nothing") {
  const ReplayRun run = measured(1, {});
  for (const ReplayNode& node : run.nodes) CHECK_FALSE(node.exchange);
  CHECK(run.weights_error == 0);
}

TEST_CASE("a pipeline needs a rank for each stage") {
  ReplayOrder order;
  order.workload = perceptron_file();
  order.batch = 4;
  order.stages = 2;
  order.micro_batches = 2;
  CHECK_THROWS_WITH(replay_plan(order, 4), Catch::Matchers::ContainsSubstring("pipeline=2 is run on 2 ranks"));
  CHECK(replay_plan(order, 2).stage_of(1) == 1);
}

}  // namespace mlsim::test
