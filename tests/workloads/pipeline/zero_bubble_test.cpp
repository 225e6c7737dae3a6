// Zero-bubble schedules: their bubble and what stages keep, against the formulas of Qi et al., arXiv:2401.10241,
// table 2.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "tests/workloads/pipeline/graph_run.hpp"
#include "workloads/pipeline/even_stages.hpp"
#include "workloads/pipeline/pipeline.hpp"
#include "workloads/pipeline/schedule.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr auto k1p = PipelineSchedule::zero_bubble_1p, k2p = PipelineSchedule::zero_bubble_2p,
               kV = PipelineSchedule::zero_bubble_v;

struct Times {
  double forward, backward, weights;
};

// The time from a stage's first pass to its last, beyond its own passes, of the stage where that is longest. `times`
// are of a stage, whose chunks share them out.
double bubble(const PipelineShape& shape, const Times& times) {
  std::map<std::tuple<int, int, bool>, double> done;  // place in the model, micro-batch, backward
  std::vector<std::size_t> next(shape.stages);
  std::vector<double> free(shape.stages), first(shape.stages, -1);
  const int last = shape.stages * shape.chunks - 1;
  for (bool moved = true; moved;) {
    moved = false;
    for (int s = 0; s < shape.stages; ++s) {
      const auto order = pipeline_order(shape, s);
      for (; next[s] < order.size(); ++next[s], moved = true) {
        const PipelineTask& task = order[next[s]];
        const int place = shape.place(s, task.chunk);
        double ready = 0;
        const int from = task.backward ? std::min(place + 1, last) : place - 1;
        if (!task.weights && from >= 0) {
          const auto before = done.find({from, task.micro_batch, task.backward && place < last});
          if (before == done.end()) break;
          ready = before->second;
        }
        const double begin = std::max(free[s], ready);
        if (first[s] < 0) first[s] = begin;
        free[s] = begin + (task.weights    ? times.weights
                           : task.backward ? times.backward
                                           : times.forward) /
                              shape.chunks;
        if (!task.weights) done[{place, task.micro_batch, task.backward}] = free[s];
      }
    }
  }
  double longest = 0;
  for (int s = 0; s < shape.stages; ++s) {
    REQUIRE(next[s] == pipeline_order(shape, s).size());
    longest = std::max(longest, free[s] - first[s]);
  }
  return longest - shape.micro_batches * (times.forward + times.backward + times.weights);
}

}  // namespace

TEST_CASE("the bubble of zero-bubble schedules is that of the paper") {
  for (const Times& t : {Times{1, 1, 1}, Times{1, 1.1, 0.9}, Times{1, 1.2, 0.8}}) {
    for (const int stages : {2, 4, 8}) {
      const int micro_batches = 3 * stages;
      CHECK_THAT(bubble({k1p, stages, 1, micro_batches}, t),
                 Catch::Matchers::WithinAbs((stages - 1) * (t.forward + t.backward - t.weights), 1e-9));
      CHECK_THAT(bubble({k2p, stages, 1, micro_batches}, t),
                 Catch::Matchers::WithinAbs((stages - 1) * (t.forward + t.backward - 2 * t.weights), 1e-9));
    }
  }
}

TEST_CASE("zero-bubble-v has no bubble where its passes take the same, and little where they nearly do") {
  for (const int stages : {2, 3, 4, 8}) {
    for (const int micro_batches : {2 * stages - 1, 2 * stages, 3 * stages + 1}) {
      INFO(stages << " stages, " << micro_batches << " micro-batches");
      const PipelineShape shape{kV, stages, 2, micro_batches};
      CHECK_THAT(bubble(shape, {1, 1, 1}), Catch::Matchers::WithinAbs(0, 1e-9));
      const Times near{1, 1.1, 0.9};
      CHECK(bubble(shape, near) < bubble({PipelineSchedule::zero_bubble_1p, stages, 1, micro_batches}, near));
    }
  }
}

TEST_CASE("every stage of zero-bubble-v keeps p micro-batches, half in each chunk or more in the first") {
  for (const int stages : {2, 4, 8}) {
    for (int s = 0; s < stages; ++s) {
      const auto kept = micro_batches_in_flight({kV, stages, 2, 4 * stages}, s, {1.0, 1.0});
      CHECK(kept[0] + kept[1] == 2 * stages);  // chunks of half a stage
    }
  }
}

TEST_CASE("a stage of zero-bubble-v does every pass of both chunks once, inputs before weights") {
  const PipelineShape shape{kV, 4, 2, 9};
  for (int s = 0; s < 4; ++s) {
    std::map<std::pair<int, int>, int> stage_of_pass;  // chunk and micro-batch; passes so far
    for (const PipelineTask& task : pipeline_order(shape, s)) {
      int& passes = stage_of_pass[{task.chunk, task.micro_batch}];
      CHECK(passes++ == (task.weights ? 2 : task.backward ? 1 : 0));
    }
    CHECK(stage_of_pass.size() == 2 * 9);
    CHECK(shape.stage_of(shape.place(s, 1)) == s);
  }
  CHECK(shape.place(0, 1) == 7);
  CHECK(shape.place(3, 1) == 4);
}

TEST_CASE("every stage of zero-bubble-1p keeps p micro-batches, of -2p 2 p - 1") {
  for (const int stages : {2, 4, 8}) {
    for (int s = 0; s < stages; ++s) {
      CHECK(micro_batches_in_flight({k1p, stages, 1, 4 * stages}, s, {1.0}).front() == stages);
      CHECK(micro_batches_in_flight({k2p, stages, 1, 4 * stages}, s, {1.0}).front() == 2 * stages - 1);
    }
  }
}

TEST_CASE("micro-batches that do not fill the stages are refused, with those that do") {
  CHECK_THROWS_WITH(check_shape({k1p, 8, 1, 7}), ContainsSubstring("8 do"));
  CHECK_THROWS_WITH(check_shape({k2p, 8, 1, 14}), ContainsSubstring("15 do"));
  CHECK_THROWS_WITH(check_shape({kV, 8, 2, 14}), ContainsSubstring("15 do"));
  CHECK_THROWS_AS(check_shape({k1p, 4, 2, 8}), InputError);
  CHECK_THROWS_WITH(check_shape({kV, 4, 1, 8}), ContainsSubstring("2 chunks a stage, not 1"));
}

TEST_CASE("a step of zero-bubble passes does the work of one of 1f1b, in less time") {
  const Model model = load_model("gpt-1.3b:layers=8");
  StepPlan plan;
  plan.parallelism[Axis::pipeline] = 4;
  plan.micro_batches = 12;
  plan.batch_per_accelerator = 12;
  const auto graph_of = [&](PipelineSchedule schedule, int chunks = 1) {
    return lower_pipeline(model, plan, {schedule, chunks, even_stages(model, {4, chunks, {}, {}})});
  };
  const auto flop = [](const StepGraph& graph) {
    double sum = 0;
    for (StepVertex v = 0; v < graph.size(); ++v) sum += flop_of(graph[v]);
    return sum;
  };
  const auto length = [](const StepGraph& graph) { return run_graph(graph, flop_of).length; };
  const StepGraph usual = graph_of(PipelineSchedule::one_f_one_b), zero = graph_of(k1p);
  CHECK_THAT(flop(zero), Catch::Matchers::WithinRel(flop(usual), 1e-12));
  CHECK(length(zero) < 0.95 * length(usual));
  // The head stands on the first stage, whose passes are the longest, in a V.
  const StepGraph vee = graph_of(kV, 2);
  CHECK_THAT(flop(vee), Catch::Matchers::WithinRel(flop(usual), 1e-12));
  CHECK(length(vee) < length(zero));
}
