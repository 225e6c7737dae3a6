#include "sim/step_cost/step_terms.hpp"

#include "catch.hpp"
#include "sim/options/options_text.hpp"
#include "sim/plan/plan.hpp"

using namespace mlsim;
using namespace mlsim::sim;
using namespace mlsim::test;

namespace {

struct Asked {
  std::string workload = "resnet50";
  int accelerators = 8;
  Precision precision = Precision::fp16;
  std::string fusion = "off";
};

double contention(const Asked& asked) {
  Profile profile;
  profile.accelerator = "a100-sxm4-80gb";
  StackTerm term;
  term.stack = "made-up";
  term.contention = 0.1;
  term.normalization_contention = 0.8;
  profile.stacks.push_back(term);
  PredictRequest request;
  request.topology = "dgx-a100-80gb";
  request.accelerators = asked.accelerators;
  request.workload = asked.workload;
  request.batch_per_accelerator = 16;
  request.precision = asked.precision;
  request.fidelity = Fidelity::closed;
  request.options = options_of({{"stack", "made-up"}, {"fusion", asked.fusion}});
  request.builtin_profiles = std::vector<Profile>{profile};
  return stack_contention(make_plan(request));
}

}  // namespace

TEST_CASE("16-bit passes with batch normalisation slow by (N - 1)/N of the stack's term") {
  CHECK(contention({.accelerators = 1}) == Approx(0.1));
  CHECK(contention({.accelerators = 2}) == Approx(0.1 + 0.4));
  CHECK(contention({.accelerators = 8}) == Approx(0.1 + 0.7));
}

TEST_CASE("fp32, fused operators and networks without batch normalisation keep the stack's contention") {
  CHECK(contention({.precision = Precision::fp32}) == Approx(0.1));
  CHECK(contention({.fusion = "on"}) == Approx(0.1));
  CHECK(contention({.workload = "vgg16"}) == Approx(0.1));
}

TEST_CASE("a launch counts once: what the host dispatches hides where the framework holds kernels up for longer") {
  StepTerms terms{};
  terms.step_overhead = milliseconds(1);
  terms.dispatch = microseconds(10);
  CHECK(terms.framework_time({100, 100}).value == Approx(2e-3));
  terms.per_kernel = microseconds(4);
  CHECK(terms.framework_time({100, 100}).value == Approx(1.6e-3));
  CHECK(terms.framework_time({100, 50}).value == Approx(1.8e-3));
  terms.per_kernel = microseconds(33);
  CHECK(terms.framework_time({100, 100}).value == Approx(1e-3));
}
