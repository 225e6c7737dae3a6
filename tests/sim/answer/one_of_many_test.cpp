// A study moves flows on our own solver, a single answer on SimGrid: the same bits on a sample of every such study.
#include "calibrate/builtin_profiles.hpp"
#include "catch.hpp"
#include "namespace.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"
#include "validation/cases/cases.hpp"

using namespace mlsim;
using namespace mlsim::test;

TEST_CASE("one of many questions is answered to the bit as alone, without SimGrid") {
  struct Sample {
    const char *topology, *workload, *parallelism, *settings;
  };
  // The samples are of a sweep, a plan, a search of layouts, sizes of one job, a collective's sizes, and with ranks that differ.
  const std::vector<Sample> samples{{"dgx-a100", "resnet50", "", ""},
                                    {"p4d:nodes=4", "bert-large", "", ""},
                                    {"torus16x16", "resnet50", "", ""},
                                    {"dgx-a100:nodes=8", "gpt-13b", "tensor=8,micro_batches=4", ""},
                                    {"dgx1-v100:nodes=3", "gnmt", "", ""},
                                    {"dgx-h100:nodes=2", "all-reduce:payload=64MB", "", "algorithm=ring"},
                                    {"torus8x8", "resnet50", "", "slow_rank=3:0.8"}};
  for (const Sample& sample : samples) {
    PredictRequest request;
    request.topology = sample.topology;
    request.workload = sample.workload;
    request.parallelism = sample.parallelism;
    request.options = parse_options(sample.settings);
    request.builtin_profiles = builtin_profiles();
    request.anchors = published_anchors();
    const Prediction alone = predict(request);
    request.one_of_many = true;
    const Prediction many = predict(request);
    INFO(sample.topology << " " << sample.workload);
    if (!alone.collective) {  // whose answer names no engine
      CHECK(alone.simulation.engine == "simgrid");
      CHECK(many.simulation.engine == "max-min");
    }
    CHECK(many.step.time == alone.step.time);
    CHECK(many.throughput.value == alone.throughput.value);
    CHECK(many.simulation.flows == alone.simulation.flows);
  }
}
