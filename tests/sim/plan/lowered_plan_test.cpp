// How the exchanges of a step are planned: never slower than by a choice that could have been made, never helped by a
// slow link.
#include "sim/plan/lowered_plan.hpp"

#include <string>
#include <utility>
#include <vector>

#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "sim/answer/predict.hpp"
#include "sim/collectives/algorithms.hpp"
#include "sim/options/options_text.hpp"
#include "topologies/construction/build_cluster.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

// With few samples each, so that the exchange counts.
Seconds step_time(const std::string& topology, const Settings& settings, Fidelity fidelity = Fidelity::closed) {
  PredictRequest request;
  request.topology = topology;
  request.workload = "bert-large";
  request.batch_per_accelerator = 2;
  request.precision = Precision::fp16;
  request.fidelity = fidelity;
  for (const auto& [key, value] : settings) set_option(request.options, key, value);
  return predict(request).step.time;
}

}  // namespace

TEST_CASE("no algorithm or choice that is asked for is quicker than the quickest") {
  for (const std::string topology :
       {"dgx-a100:nodes=4", "p3dn:nodes=2", "dgx1-v100", "pcie-server:accelerator=v100-pcie"}) {
    const double quickest = step_time(topology, {}).value;
    for (const auto& algorithm : possible_algorithms(build_cluster(topology, 0), CollectiveKind::all_reduce)) {
      INFO(topology << " " << algorithm);
      CHECK(quickest <= 1.001 * step_time(topology, {{"algorithm", algorithm}}).value);
    }
    INFO(topology);
    CHECK(quickest <= 1.001 * step_time(topology, {{"choice", "nccl"}}).value);
    CHECK(quickest <= 1.001 * step_time(topology, {{"protocol", "simple"}}).value);
  }
}

TEST_CASE("an exchange by NCCL's structure ends alike at every fidelity, and so does a schedule beside it") {
  for (const Settings& settings : {Settings{}, Settings{{"algorithm", "hierarchical"}}}) {
    const double closed = step_time("dgx-a100:nodes=2", settings).value;
    CHECK(step_time("dgx-a100:nodes=2", settings, Fidelity::folded).value == Approx(closed).epsilon(0.02));
    CHECK(step_time("dgx-a100:nodes=2", settings, Fidelity::fluid).value == Approx(closed).epsilon(0.02));
  }
}

TEST_CASE("a slow link slows a step whose exchange follows NCCL's structure") {
  const std::string boxes = "dgx-a100:nodes=4";
  const double sound = step_time(boxes, {}).value, half = step_time(boxes, {{"slow_link", "node1-network:0.5"}}).value,
               tenth = step_time(boxes, {{"slow_link", "node1-network:0.1"}}).value;
  CHECK(half >= sound);
  CHECK(tenth > 1.5 * sound);
  CHECK(step_time(boxes, {{"slow_link", "node1-network:0.1"}, {"algorithm", "ring"}}).value >= 0.999 * tenth);
}

TEST_CASE("no slow or failed link makes the planner choose what is quicker than on sound links") {
  struct SlowStep {
    const char* topology;
    const char* workload;
    double batch;
    const char* parallelism;
    std::vector<std::pair<const char*, const char*>> defects;
  };
  const std::vector<SlowStep> steps{
      {"torus128x32", "bert-large-128", 2, "", {{"slow_link", "x0y0-x0y1:0.5"}, {"slow_link", "x0y0-x0y1:0.9"}}},
      {"mesh3x8",
       "bert-large-squad",
       32,
       "tensor=2,pipeline=2",
       {{"slow_link", "x0y0-x1y0:0.5"}, {"failed_link", "x0y0-x1y0"}}}};
  for (const SlowStep& step : steps) {
    PredictRequest request;
    request.topology = step.topology;
    request.workload = step.workload;
    request.batch_per_accelerator = step.batch;
    request.parallelism = step.parallelism;
    request.builtin_profiles = builtin_profiles();
    const double sound = predict(request).step.time.value;
    for (const auto& [key, value] : step.defects) {
      INFO(step.topology << " " << key << "=" << value);
      request.options = options_of({{key, value}});
      CHECK(predict(request).step.time.value >= sound);
    }
  }
}
