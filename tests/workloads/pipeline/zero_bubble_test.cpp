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

constexpr auto k1p = PipelineSchedule::zero_bubble_1p, k2p = PipelineSchedule::zero_bubble_2p;

struct Times {
  double forward, backward, weights;
};

// The time from a stage's first pass to its last, beyond its own passes, of the stage where that is longest.
double bubble(const PipelineShape& shape, const Times& times) {
  std::map<std::tuple<int, int, bool>, double> done;  // stage, micro-batch, backward
  std::vector<std::size_t> next(shape.stages);
  std::vector<double> free(shape.stages), first(shape.stages, -1);
  for (bool moved = true; moved;) {
    moved = false;
    for (int s = 0; s < shape.stages; ++s) {
      const auto order = pipeline_order(shape, s);
      for (; next[s] < order.size(); ++next[s], moved = true) {
        const PipelineTask& task = order[next[s]];
        double ready = 0;
        const int from = task.backward ? std::min(s + 1, shape.stages - 1) : s - 1;
        if (!task.weights && from >= 0) {
          const auto before = done.find({from, task.micro_batch, task.backward && s + 1 < shape.stages});
          if (before == done.end()) break;
          ready = before->second;
        }
        const double begin = std::max(free[s], ready);
        if (first[s] < 0) first[s] = begin;
        free[s] = begin + (task.weights ? times.weights : task.backward ? times.backward : times.forward);
        if (!task.weights) done[{s, task.micro_batch, task.backward}] = free[s];
      }
    }
  }
  double longest = 0;
  for (int s = 0; s < shape.stages; ++s) longest = std::max(longest, free[s] - first[s]);
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
  CHECK_THROWS_AS(check_shape({k1p, 4, 2, 8}), InputError);
}

TEST_CASE("a step of zero-bubble passes does the work of one of 1f1b, in less time") {
  const Model model = load_model("gpt-1.3b:layers=8");
  StepPlan plan;
  plan.parallelism[Axis::pipeline] = 4;
  plan.micro_batches = 12;
  plan.batch_per_accelerator = 12;
  const auto graph_of = [&](PipelineSchedule schedule) {
    return lower_pipeline(model, plan, {schedule, 1, even_stages(model, {4, 1, {}, {}})});
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
}
