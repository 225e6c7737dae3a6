#include "sim/step/step_limit.hpp"

#include <algorithm>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/explain/explain.hpp"
#include "sim/options/options_text.hpp"
#include "tests/namespace.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

// A slow rank's kernel and the exchange in which another waits for it.
Timeline waiting(double kernel, double exchange) {
  const Seconds late(kernel), end(kernel + exchange);
  Timeline timeline;
  timeline.class_size = {1, 1};
  timeline.spans = {
      {0, 0, Stream::compute, StepPart::backward, "kernel", Seconds(0), late},
      {1, 0, Stream::communication, StepPart::gradient_exchange, "sum", late, end, CollectiveKind::all_reduce},
      {0, 1, Stream::compute, StepPart::backward, "kernel", Seconds(0), Seconds(1)},
      {1, 1, Stream::communication, StepPart::gradient_exchange, "sum", Seconds(1), end, CollectiveKind::all_reduce}};
  return timeline;
}

}  // namespace

TEST_CASE("a step that would move millions of flows is answered by formulas, and says so", "[sweep]") {
  PredictRequest request;
  request.topology = "azure-ai-v100:nodes=250";
  request.workload = "gpt3-175b";
  request.parallelism = "tensor=8,pipeline=25,micro_batches=32";
  request.global_batch = 320;
  request.options = options_of({{"recompute", "full"}});
  request.builtin_profiles = calibrate::builtin_profiles();
  const Prediction folded = predict(request);
  CHECK(folded.simulation.fidelity == Fidelity::closed);
  CHECK(std::any_of(folded.warnings.begin(), folded.warnings.end(),
                    [](const std::string& w) { return w.find("--fidelity fluid") != std::string::npos; }));
  request.fidelity = Fidelity::closed;
  CHECK(folded.step.time == predict(request).step.time);
  CHECK(folded.warnings.size() == predict(request).warnings.size() + 1);
}

TEST_CASE("a step of more than 32 years is refused, with what takes longest but for waiting") {
  CHECK_NOTHROW(check_step_limit(kLongestStep, waiting(2e8, 8e8)));
  CHECK_THROWS_AS(check_step_limit(Seconds(2e9), waiting(1.5e9, 5e8)), Infeasible);
  CHECK_THROWS_WITH(check_step_limit(Seconds(2e9), waiting(1.5e9, 5e8)), ContainsSubstring("\"kernel\" (1.5e+09 s)"));
  CHECK_THROWS_WITH(check_step_limit(Seconds(2e9), waiting(5e8, 1.5e9)), ContainsSubstring("\"sum\" (1.5e+09 s)"));
}

TEST_CASE("predict and explain refuse a step that never comes to an end, at every fidelity") {
  PredictRequest request;
  request.topology = "gke-t4:nodes=4:network_bandwidth=1B/s";
  request.workload = "bert-large";
  request.batch_per_accelerator = 1;
  for (const Fidelity fidelity : {Fidelity::closed, Fidelity::folded, Fidelity::fluid, Fidelity::message}) {
    request.fidelity = fidelity;
    CHECK_THROWS_AS(predict(request), Infeasible);
    CHECK_THROWS_WITH(explain(request), ContainsSubstring("most of all for \"all-reduce gradients"));
  }
}
