// The parts of an error add up to it, and each is what was put in.
#include "replay/validation/replay_error.hpp"

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "replay/validation/replay_question.hpp"
#include "sim/costed_step/costed_step.hpp"

namespace mlsim::test {
namespace {

using namespace validation;

const std::string kMeasured = MLSIM_SOURCE_DIR "/examples/calibrated-processor/";

ReplayRun run_of_one_rank() {
  ReplayRun run;
  run.order.workload = "resnet20-cifar";
  run.order.batch = 16;
  run.hosts = {"vm"};
  return run;
}

PredictRequest question_of(const ReplayRun& run) {
  return replay_question(run, calibrate::load_profile(kMeasured + "profile.json"), kMeasured + "machine.yaml");
}

// A run whose kernels take `alone` times what is predicted while nothing is exchanged, and `in_step` times in the step.
ReplayRun run_that_takes(double alone, double in_step, Seconds besides) {
  ReplayRun run = run_of_one_rank();
  const auto step = sim::costed_step(question_of(run));
  const auto& graph = *step.lowered().graph;
  const auto predicted = step.inputs(Fidelity::closed).duration;
  Seconds sum;
  for (StepVertex vertex = 0; vertex < graph.size(); ++vertex) {
    ReplayNode node;
    node.vertex = static_cast<int>(vertex);
    node.name = graph[vertex].name;
    if (graph[vertex].kind != workloads::NodeKind::host_work) {
      node.alone = predicted[vertex] * alone;
      node.in_step = predicted[vertex] * in_step;
    }
    sum += node.in_step;
    run.nodes.push_back(node);
  }
  run.step_time.median = sum + besides;
  return run;
}

}  // namespace

TEST_CASE("an error is split into what makes it, and the parts add up") {
  const ReplayRun run = run_that_takes(1.5, 2, milliseconds(3));
  const ReplayError error = replay_error(run, question_of(run), "run.json");
  const double kernels = (run.step_time.median - milliseconds(3)).value / 2;  // as predicted
  CHECK(error.split.kernel.value == Approx(-0.5 * kernels));
  CHECK(error.split.contention.value == Approx(-0.5 * kernels));
  CHECK(error.split.collective.value == Approx(0).margin(1e-12));
  CHECK(error.split.overlap.value == Approx((error.predicted.value - kernels) - 0.003));
  const StepErrorSplit& split = error.split;
  CHECK((split.kernel + split.collective + split.contention + split.overlap).value ==
        Approx((error.predicted - error.measured).value));
  CHECK(error.relative() == Approx(error.predicted / error.measured - 1));
}

TEST_CASE("a run of another graph is refused with the node that differs") {
  ReplayRun run = run_that_takes(1, 1, Seconds(0));
  run.nodes[4].name = "something else";
  CHECK_THROWS_WITH(replay_error(run, question_of(run), "run.json"),
                    Catch::Matchers::ContainsSubstring("run.json: ran another step graph"));
  run.nodes.pop_back();
  CHECK_THROWS_AS(replay_error(run, question_of(run), "run.json"), InputError);
}

}  // namespace mlsim::test
