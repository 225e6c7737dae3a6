// What a framework takes around each collective of a step, on links and where the collective was measured.
#include "catch.hpp"
#include "sim/options/options_text.hpp"
#include "tests/sim/answer/step_time.hpp"

using namespace mlsim;
using namespace mlsim::sim;
using namespace mlsim::test;

namespace {

PredictRequest question(int ranks, double per_exchange) {
  Profile profile;
  profile.accelerator = "n1-cpu";
  StackTerm term;
  term.stack = "made-up";
  term.overlap = false;
  if (per_exchange > 0) term.per_exchange = Seconds(per_exchange);
  profile.stacks.push_back(term);
  PredictRequest request;
  request.topology = "gke-cpu";
  request.accelerators = ranks;
  request.workload = "logreg-epsilon";
  request.batch_per_accelerator = 128;
  request.precision = Precision::fp32;
  request.options = options_of({{"stack", "made-up"}, {"communicator", "gloo"}});
  request.builtin_profiles = std::vector<Profile>{profile};
  return request;
}

PredictRequest measured(PredictRequest request) {
  Profile own;
  own.accelerator = "n1-cpu";
  RankScaling law;
  law.communicator = "gloo";
  law.machine = "gke-cpu";
  law.nodes = {2, 4};
  law.fixed = Seconds(0);
  law.segments = {{Bytes(4), Seconds(1e-3), 0}};
  own.rank_scalings.push_back(law);
  request.builtin_profiles = std::vector<Profile>{request.builtin_profiles[0], own};
  return request;
}

}  // namespace

TEST_CASE("a framework takes its time around each collective of a step, by formula and by flows") {
  for (const Fidelity fidelity : {Fidelity::closed, Fidelity::folded}) {
    CHECK(step_time(question(4, 2e-3), fidelity) - step_time(question(4, 0), fidelity) == Approx(2e-3));
    CHECK(step_time(question(1, 2e-3), fidelity) == Approx(step_time(question(1, 0), fidelity)));
  }
}

TEST_CASE("a measured collective does not hold what the framework takes around it") {
  for (const Fidelity fidelity : {Fidelity::closed, Fidelity::folded})
    CHECK(step_time(measured(question(4, 2e-3)), fidelity) - step_time(measured(question(4, 0)), fidelity) ==
          Approx(2e-3));
}
