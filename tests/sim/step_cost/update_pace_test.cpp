// An update goes over memory, so that it is not slowed by what slows the passes of its network.
#include "catch.hpp"
#include "sim/step_cost/step_cost.hpp"
#include "sim/step_cost/step_terms.hpp"

using namespace mlsim;
using namespace mlsim::sim;
using namespace mlsim::test;

namespace {

struct PartTimes {
  Seconds passes, update;
};

PartTimes times_at(double speed) {
  PredictRequest request;
  request.topology = "gke-t4";
  request.workload = "gnmt-mlbench";
  request.precision = Precision::fp32;
  request.batch_per_accelerator = 32;
  const Plan plan = make_plan(request);
  const LoweredPlan lowered = lower_plan(plan);
  const StepCost cost(lowered, step_terms(plan), own_cost(plan, request).at({speed, 0}));
  PartTimes times;
  for (std::size_t v = 0; v < lowered.graph->size(); ++v) {
    const StepPart part = (*lowered.graph)[v].part;
    if ((*lowered.graph)[v].stream != Stream::compute) continue;
    (part == StepPart::optimizer ? times.update : times.passes) += cost.undisturbed(v);
  }
  return times;
}

}  // namespace

TEST_CASE("an update takes no longer where the passes of its network are slow, and less where all is quick") {
  const PartTimes usual = times_at(1), slow = times_at(0.25), quick = times_at(2);
  REQUIRE(usual.update > Seconds(0));
  CHECK(slow.update == usual.update);
  CHECK(slow.passes > usual.passes * 2);
  CHECK(quick.update < usual.update);
}
