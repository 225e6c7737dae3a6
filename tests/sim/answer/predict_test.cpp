// The pipeline as a whole, on a profile made up here so that the numbers can be followed.
#include "sim/answer/predict.hpp"

#include "catch.hpp"
#include "core/text/errors.hpp"
#include "sim/options/options_text.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

Profile profile(const std::string& accelerator, Precision precision) {
  Profile p;
  p.accelerator = accelerator;
  p.efficiency.push_back({precision, 0.5, 0.8, microseconds(5), {Provenance::fitted, "made up", ""}});
  StackTerm term;
  term.stack = "made-up";
  term.step_overhead = milliseconds(5);
  term.source = {Provenance::fitted, "made up", ""};
  p.stacks.push_back(term);
  return p;
}

PredictRequest ask(const std::string& topology) {
  PredictRequest request;
  request.topology = topology;
  request.workload = "resnet50";
  request.batch_per_accelerator = 64;
  const bool torus = topology.starts_with("torus");
  request.builtin_profiles = {profile(torus ? "tpu-v3" : "a100-sxm4-40gb", torus ? Precision::bf16 : Precision::fp16)};
  return request;
}

Anchor anchor(double throughput) {
  Anchor a;
  a.id = "one-box";
  a.topology = "dgx-a100";
  a.accelerators = 8;
  a.workload = "resnet50";
  a.precision = Precision::fp16;
  a.global_batch = 512;
  a.settings = {{"stack", "made-up"}};
  a.throughput = PerSecond(throughput);
  a.source = {Provenance::published, "made up", ""};
  return a;
}

}  // namespace

TEST_CASE("a step of micro-batches takes their work and one exchange, and must divide") {
  PredictRequest request = ask("dgx-a100");
  const double whole = predict(request).step.compute.value;
  request.options = options_of({{"accumulation", "4"}});
  const double parts = predict(request).step.compute.value;
  CHECK(parts > whole);  // four times the launches
  CHECK(parts < 4 * whole);
  request.options = options_of({{"accumulation", "3"}});
  request.batch_per_accelerator = 2;
  CHECK_THROWS_WITH(predict(request), ContainsSubstring("do not divide into 3 micro-batches"));
}

TEST_CASE("closed, folded, fluid and message agree where all ranks are alike") {
  for (const std::string topology : {"torus4x4", "dgx-a100", "dgx-a100:nodes=2"}) {
    PredictRequest request = ask(topology);
    request.options = options_of({{"sharded_update", "off"}});
    request.fidelity = Fidelity::folded;
    const double folded = predict(request).step.time.value;
    for (const Fidelity fidelity : {Fidelity::closed, Fidelity::fluid, Fidelity::message}) {
      request.fidelity = fidelity;
      INFO(topology << " " << name(fidelity));
      CHECK(predict(request).step.time.value == Approx(folded).epsilon(1e-9));
    }
  }
}

TEST_CASE("a prediction of the anchor itself is the anchor's speed") {
  PredictRequest request = ask("dgx-a100");
  request.anchors = {anchor(12345)};
  const Prediction prediction = predict(request);
  CHECK(prediction.throughput.value == Approx(12345).epsilon(1e-6));
  CHECK_THAT(prediction.distance.text, ContainsSubstring("one-box") && ContainsSubstring("same size"));
}

TEST_CASE("twice the anchor's nodes give nearly but not more than twice its speed") {
  PredictRequest request = ask("dgx-a100:nodes=2");
  request.anchors = {anchor(12345)};
  const double throughput = predict(request).throughput.value;
  CHECK(throughput < 2 * 12345);
  CHECK(throughput > 1.8 * 12345);
}

TEST_CASE("a smaller batch costs efficiency, because the fixed parts stay") {
  PredictRequest request = ask("dgx-a100");
  request.anchors = {anchor(12345)};
  request.batch_per_accelerator = 8;
  CHECK(predict(request).throughput.value < 0.7 * 12345);
}

TEST_CASE("overlap hides exchange: the step is shorter than its parts one after another") {
  PredictRequest request = ask("dgx-a100:nodes=2:network_bandwidth=25Gbit/s");
  const Prediction with = predict(request);
  request.options = options_of({{"overlap", "off"}});
  const Prediction without = predict(request);
  CHECK(with.step.time < without.step.time);
  CHECK(with.step.exposed_communication < with.step.communication);
  CHECK(without.step.exposed_communication.value == Approx(without.step.communication.value));
  CHECK(with.step.time < with.step.compute + with.step.communication + with.step.optimizer + with.step.overhead);
}

TEST_CASE("one rank exchanges nothing") {
  PredictRequest request = ask("dgx-a100");
  request.accelerators = 1;
  const Prediction prediction = predict(request);
  CHECK(prediction.step.communication.value == 0);
  CHECK(prediction.speedup == Approx(1));
  CHECK(prediction.simulation.flows == 0);
}

TEST_CASE("a sharded update is quicker at the optimizer and moves no more gradient bytes") {
  PredictRequest request = ask("torus8x8");
  request.options = options_of({{"sharded_update", "off"}, {"overlap", "off"}});
  const Prediction whole = predict(request);
  set_option(request.options, "sharded_update", "on");
  const Prediction sharded = predict(request);
  CHECK(sharded.step.optimizer.value < whole.step.optimizer.value / 16);
  CHECK(sharded.memory.fits);
}

TEST_CASE("the throughput is the batch over the step time and the interval holds the step") {
  const Prediction prediction = predict(ask("torus4x4"));
  CHECK(prediction.throughput.value == Approx(prediction.inputs.global_batch / prediction.step.time.value));
  CHECK(prediction.interval.step_time[0] < prediction.step.time.value);
  CHECK(prediction.interval.step_time[1] > prediction.step.time.value);
}

TEST_CASE("samples far beyond any known batch give a step time but no time to target") {
  PredictRequest request = ask("torus128x128");
  request.batch_per_accelerator = 64;  // a global batch of a million
  const Prediction prediction = predict(request);
  CHECK_FALSE(prediction.job);
  CHECK_FALSE(prediction.warnings.empty());
}

TEST_CASE("a plan that does not fit memory says what dominates and what fits") {
  PredictRequest request = ask("dgx-a100");
  request.batch_per_accelerator = 100000;
  request.as_is = true;
  CHECK_THROWS_AS(predict(request), Infeasible);
  CHECK_THROWS_WITH(predict(request), ContainsSubstring("activations") && ContainsSubstring("at most"));
}

TEST_CASE("both engines give the same step") {
  for (const std::string topology : {"torus8x4", "dgx-a100:nodes=2"}) {
    for (const Fidelity fidelity : {Fidelity::folded, Fidelity::fluid}) {
      PredictRequest request = ask(topology);
      request.fidelity = fidelity;
      request.options = options_of({{"engine", "simgrid"}, {"slow_rank", "3:0.8"}});
      const Prediction simgrid = predict(request);
      set_option(request.options, "engine", "max-min");
      const Prediction own = predict(request);
      INFO(topology << " " << name(fidelity));
      CHECK(own.step.time.value == Approx(simgrid.step.time.value).epsilon(1e-12));
      CHECK(own.simulation.flows == simgrid.simulation.flows);
    }
  }
}

TEST_CASE("the answer says on what its kernel times rest") {
  const auto bases = [](const PredictRequest& request) {
    std::string text;
    for (const auto& entry : predict(request).provenance) {
      if (entry.figure == "kernel cost") text += entry.value.text + "\n";
    }
    return text;
  };
  PredictRequest request = ask("dgx-a100");
  CHECK_THAT(bases(request), ContainsSubstring("efficiency curve") && ContainsSubstring("for 100 % of kernel time"));
  Profile bare = request.builtin_profiles.front();
  bare.efficiency.clear();
  request.builtin_profiles = {bare};
  CHECK_THAT(bases(request), ContainsSubstring("efficiency curve (0.23 x compute"));
  const KernelKey stem{KernelOp::conv_forward, Precision::fp16, ConvolutionShape{64, 3, 224, 224, 64, 7, 2}};
  bare.kernels.push_back({stem,
                          0,
                          Cache::cold,
                          {milliseconds(1), milliseconds(1), milliseconds(1), 20},
                          {Provenance::measured, "made up", ""}});
  request.builtin_profiles = {bare};
  CHECK_THAT(bases(request), ContainsSubstring("measured kernels for") && ContainsSubstring("efficiency curve"));
}
