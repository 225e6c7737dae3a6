#include "sim/job/input_pipeline.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include "catch.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"
#include "workloads/model/dataset_input.hpp"

using namespace mlsim;
using namespace mlsim::test;
using Catch::Matchers::ContainsSubstring;

namespace {

PredictRequest ask_input(const std::string& topology, Settings settings) {
  PredictRequest request;
  request.topology = topology;
  request.workload = "resnet50";
  request.batch_per_accelerator = 64;
  request.options = options_of(settings);
  return request;
}

InputPipeline pipeline(const std::string& topology, const Settings& settings) {
  return input_pipeline(make_plan(ask_input(topology, settings)));
}

const InputStage* stage(const InputPipeline& all, const std::string& name) {
  for (const auto& s : all.stages)
    if (s.name == name) return &s;
  return nullptr;
}

// The second answer: batches go one by one through stages with queues of `depth` between them, the step last. Each
// stage begins a batch when it has it, has finished the one before and has room behind it.
double simulated_step(const std::vector<double>& stages, double step, std::size_t depth) {
  constexpr std::size_t kBatches = 400;
  std::vector<std::vector<double>> begin(stages.size() + 1, std::vector<double>(kBatches)), end = begin;
  for (std::size_t b = 0; b < kBatches; ++b) {
    for (std::size_t s = 0; s <= stages.size(); ++s) {
      double at = b > 0 ? end[s][b - 1] : 0;
      if (s > 0) at = std::max(at, end[s - 1][b]);
      if (s < stages.size() && b > depth) at = std::max(at, begin[s + 1][b - depth - 1]);  // room behind it
      begin[s][b] = at;
      end[s][b] = at + (s < stages.size() ? stages[s] : step);
    }
  }
  constexpr auto kHalf = kBatches / 2;
  return (end.back()[kBatches - 1] - end.back()[kHalf - 1]) / kHalf;
}

}  // namespace

TEST_CASE("synthetic data know no limit") {
  const auto none = pipeline("gce-v100", {{"data", "synthetic"}});
  CHECK(none.stages.empty());
  CHECK(none.slowest() == nullptr);
  CHECK(none.time(1000).value == 0);
}

TEST_CASE("64 threads decode 9700 images/s at 6.6 ms an image") {
  const auto real = pipeline("gce-v100", {{"data", "real"}, {"decode", "host"}});
  const InputStage* decode = stage(real, "decoding on the host");
  REQUIRE(decode != nullptr);
  CHECK(decode->rate.value == Approx(64 / 0.0066));
  CHECK(real.slowest() == decode);
  CHECK(real.time(9697).value == Approx(9697 * 0.0066 / 64));
  CHECK(stage(pipeline("gce-v100", {{"data", "real"}, {"decode", "accelerator"}}), "decoding on the host") == nullptr);
}

TEST_CASE("several hosts deliver as much more") {
  const auto one = pipeline("dgx1-v100", {{"data", "real"}, {"decode", "host"}});
  const auto four = pipeline("dgx1-v100:nodes=4", {{"data", "real"}, {"decode", "host"}});
  REQUIRE(four.stages.size() == one.stages.size());
  for (std::size_t i = 0; i < one.stages.size(); ++i)
    CHECK(four.stages[i].rate.value == Approx(4 * one.stages[i].rate.value));
  // 32 chips of a TPU v2 have 8 hosts of 32 threads.
  const auto torus = pipeline("torus8x4:accelerator=tpu-v2", {{"data", "real"}});
  CHECK(stage(torus, "decoding on the host")->rate.value == Approx(8 * 32 / 0.0066));
}

TEST_CASE("storage limits only what does not stay in memory") {
  const Settings slow{{"data", "real"}, {"storage_bandwidth", "117 MB/s"}};
  CHECK(stage(pipeline("dgx1-v100", slow), "storage") == nullptr);  // 150 GB in 512 GB
  const auto small = pipeline("gce-p100", slow);                    // 150 GB in 120 GB
  REQUIRE(stage(small, "storage") != nullptr);
  CHECK(stage(small, "storage")->rate.value == Approx(1000));
  Settings uncached = slow;
  uncached["page_cache"] = "off";
  CHECK(stage(pipeline("dgx1-v100", uncached), "storage")->rate.value == Approx(1000));
}

TEST_CASE("what crosses to the accelerators is the model's input, or the stored bytes where they decode") {
  // 4 links of 15.75 GB/s from the host; 224 x 224 x 3 values of 2 B against 117 kB.
  Settings settings{{"data", "real"}, {"decode", "host"}};
  const auto plan = make_plan(ask_input("dgx1-v100", settings));
  const double rate = 4 * 15.75e9 * plan.efficiency[LinkKind::pcie].share;
  CHECK(stage(input_pipeline(plan), "host to accelerator")->rate.value ==
        Approx(rate / (3 * 224 * 224 * element_size(plan.step.precision).value)));
  settings["decode"] = "accelerator";
  CHECK(stage(pipeline("dgx1-v100", settings), "host to accelerator")->rate.value == Approx(rate / 117e3));
}

TEST_CASE("a prefetching queue simulated batch by batch runs at the slowest stage or the step") {
  const std::vector<std::vector<double>> cases{{0.3, 0.2, 0.1}, {0.05, 0.9, 0.1}, {1.5, 0.2, 0.1}, {0.1, 0.2, 1.2}};
  for (const auto& stages : cases) {
    const double closed = *std::max_element(stages.begin(), stages.end());
    for (const double step : {0.15, 1.0, 2.0})
      for (const std::size_t depth : {1U, 2U, 8U})
        CHECK(simulated_step(stages, step, depth) == Approx(std::max(closed, step)).epsilon(1e-9));
  }
}

TEST_CASE("a limited step takes what the input takes, at every fidelity, and says what limits") {
  PredictRequest request = ask_input("gce-p100", {{"data", "synthetic"}});
  const Prediction free = predict(request);
  CHECK(free.step.input_wait.value == 0);
  CHECK_FALSE(free.input);
  request.options = options_of({{"data", "real"}, {"storage_bandwidth", "10 MB/s"}});
  const double batch = 4 * 64, rate = 10e6 / 117e3;
  for (const Fidelity fidelity : {Fidelity::closed, Fidelity::folded, Fidelity::message}) {
    request.fidelity = fidelity;
    Timeline timeline;
    const Prediction limited = predict(request, &timeline);
    CHECK(limited.throughput.value == Approx(rate));
    CHECK(limited.step.input_wait.value == Approx(batch / rate - free.step.time.value).epsilon(1e-6));
    CHECK(limited.step.time.value == Approx(batch / rate));
    CHECK(timeline.end().value == Approx(batch / rate));
    CHECK(limited.step.compute.value == Approx(free.step.compute.value));
    CHECK(limited.step.exposed_communication.value == Approx(free.step.exposed_communication.value));
    REQUIRE(limited.input);
    CHECK(limited.input->limits);
    CHECK(limited.input->slowest == "storage");
    REQUIRE_FALSE(limited.warnings.empty());
    CHECK_THAT(limited.warnings.back(), ContainsSubstring("input limits: storage"));
  }
}

TEST_CASE("input that keeps up changes nothing") {
  PredictRequest request = ask_input("dgx1-v100", {{"data", "synthetic"}});
  const Prediction synthetic = predict(request);
  request.options = options_of({{"data", "real"}, {"decode", "accelerator"}});
  const Prediction real = predict(request);
  CHECK(real.step.time == synthetic.step.time);
  REQUIRE(real.input);
  CHECK_FALSE(real.input->limits);
}

TEST_CASE("a slow rank's wait stays its own under a limiting input") {
  PredictRequest request = ask_input("gce-p100", {{"data", "synthetic"}, {"slow_rank", "1:0.5"}});
  const Prediction free = predict(request);
  set_option(request.options, "data", "real");
  set_option(request.options, "storage_bandwidth", "10 MB/s");
  const Prediction limited = predict(request);
  CHECK(limited.step.straggler_wait.value == Approx(free.step.straggler_wait.value));
  CHECK(limited.step.time.value == Approx(256 * 117e3 / 10e6));
}

TEST_CASE("a fitted input time of the stack stands for its decoding") {
  PredictRequest request = ask_input("dgx1-p100", {{"data", "real"}, {"decode", "host"}});
  Profile profile;
  profile.accelerator = "p100-sxm2";
  StackTerm term;
  term.stack = "made-up";
  term.input_per_sample = microseconds(47);
  profile.stacks.push_back(term);
  request.builtin_profiles = {profile};
  const InputPipeline measured = input_pipeline(make_plan(request));
  CHECK(stage(measured, "decoding on the host") == nullptr);
  REQUIRE_FALSE(measured.assumptions.empty());
  CHECK_THAT(measured.assumptions.back().value.text, ContainsSubstring("made-up"));
}
