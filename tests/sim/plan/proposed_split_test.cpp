// The split that is proposed where one sample does not fit.
#include "sim/plan/proposed_split.hpp"

#include "catch.hpp"
#include "sim/plan/plan.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

Plan open_plan(const std::string& topology, const std::string& workload, const std::string& parallelism = "") {
  PredictRequest request;
  request.topology = topology;
  request.workload = workload;
  request.parallelism = parallelism;
  return plan_of_any_size(request);
}

}  // namespace

TEST_CASE("embedding tables and experts go over the fewest ranks that hold one sample") {
  const Plan tables = open_plan("tpu-v3-512", "dlrm");
  CHECK(tables.proposed == "embedding=16");
  CHECK(tables.step.parallelism.ranks() == 256);
  CHECK(tables.notes.size() == 1);
  const Plan experts = open_plan("torus32x32:slice=8x8", "gshard-moe:experts=128,layers=36");
  CHECK(experts.proposed.starts_with("expert="));
  CHECK(experts.step.parallelism.ranks() == 64);
}

TEST_CASE("nothing is proposed where a sample fits, where the user says a split, or where none is enough") {
  CHECK(open_plan("tpu-v3-512", "resnet50").proposed.empty());
  CHECK(open_plan("tpu-v3-512", "dlrm", "embedding=32").proposed.empty());
  CHECK(open_plan("tpu-v3-512", "dlrm", "data=256").proposed.empty());
  CHECK(open_plan("dgx1-v100", "gshard-moe").proposed.empty());
}
