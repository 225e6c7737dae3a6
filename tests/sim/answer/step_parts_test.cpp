// The parts of a step: what each moment of it is, and who waits for whom.
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "sim/answer/predict.hpp"
#include "sim/options/options_text.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

constexpr double kPrecise = 1e-6;

struct StepQuestion {
  const char* topology;
  const char* workload;
  double batch;
  Settings settings;
  const char* parallelism = "";
};

StepBreakdown parts_of(const StepQuestion& question, Fidelity fidelity = Fidelity::folded) {
  PredictRequest request;
  request.topology = question.topology;
  request.workload = question.workload;
  request.batch_per_accelerator = question.batch;
  request.parallelism = question.parallelism;
  request.fidelity = fidelity;
  request.options = options_of(question.settings);
  return predict(request).step;
}

StepQuestion without(StepQuestion question, const std::string& setting) {
  question.settings.erase(setting);
  return question;
}

std::vector<std::pair<const char*, Seconds>> named_parts(const StepBreakdown& step) {
  return {{"compute", step.compute},
          {"exposed communication", step.exposed_communication},
          {"optimizer", step.optimizer},
          {"input wait", step.input_wait},
          {"straggler wait", step.straggler_wait},
          {"bubble", step.bubble},
          {"overhead", step.overhead}};
}

void check_sum(const StepBreakdown& step) {
  Seconds sum;
  for (const auto& [name, time] : named_parts(step)) {
    INFO(name);
    CHECK(time.value >= 0);
    sum += time;
  }
  CHECK(sum.value == Approx(step.time.value).epsilon(kPrecise));
  CHECK(step.exposed_communication.value <= step.communication.value * (1 + kPrecise));
}

// But for `except`.
void check_same_parts(const StepBreakdown& step, const StepBreakdown& other, const std::string& except = "") {
  const auto theirs = named_parts(other);
  auto their = theirs.begin();
  for (const auto& [name, time] : named_parts(step)) {
    INFO(name);
    if (name != except) CHECK(std::abs((time - their->second).value) <= kPrecise * step.time.value);
    ++their;
  }
}

const std::vector<StepQuestion>& uneven_steps() {
  static const std::vector<StepQuestion> all{
      {"dgx1-v100", "resnet50", 32, {{"slow_host", "0:0.5"}}},
      {"dgx1-v100:nodes=2", "resnet50", 32, {{"slow_host", "1:0.5"}, {"overlap", "off"}}},
      {"torus6x4", "resnet152", 2, {{"slow_rank", "0:0.5"}}},
      {"torus6x4", "mask-rcnn", 2, {{"slow_rank", "5:0.9"}}},
      {"mesh6x16", "gnmt-mlbench", 32, {{"failed_link", "x0y0-x1y0"}}},
      {"torus4x4", "resnet50", 8, {{"slow_link", "x0y0-x0y1:0.1"}, {"slow_rank", "3:0.8"}}},
      {"p3.2xlarge:nodes=8", "transformer-big", 16, {{"exchange", "horovod"}, {"horovod_cycle", "10 s"}}},
      {"p3.2xlarge:nodes=8", "transformer-big", 16, {{"exchange", "horovod"}, {"horovod_cycle", "5 ms"}}},
      {"dgx-a100:nodes=2", "resnet50", 4, {{"exchange", "horovod"}, {"slow_rank", "9:0.5"}}},
      {"dgx1-p100:nodes=2", "resnet50", 8, {{"variable_update", "parameter_server"}, {"slow_rank", "3:0.5"}}},
      {"dgx1-p100:nodes=2",
       "resnet50",
       8,
       {{"variable_update", "parameter_server"}, {"slow_link", "node1-network:0.3"}}},
      {"dgx-a100:nodes=2", "gpt2", 4, {{"slow_rank", "2:0.5"}}, "data=4,pipeline=4,micro_batches=4"},
      {"torus4x4", "gpt2", 4, {{"failed_link", "x0y0-x1y0"}}, "data=4,pipeline=2,tensor=2,micro_batches=4"},
      {"dgx1-v100", "gpt2", 2, {{"slow_link", "gpu0-gpu3:0.2"}}, "data=2,tensor=4"}};
  return all;
}

}  // namespace

TEST_CASE("the parts of an uneven step add up to it at every fidelity, and are the same folded and flow by flow") {
  for (const StepQuestion& question : uneven_steps()) {
    INFO(question.topology << " " << question.workload << " " << question.parallelism);
    for (const auto& [key, value] : question.settings) UNSCOPED_INFO(key << "=" << value);
    check_sum(parts_of(question, Fidelity::closed));
    const StepBreakdown folded = parts_of(question), fluid = parts_of(question, Fidelity::fluid);
    check_sum(folded);
    check_sum(fluid);
    check_same_parts(fluid, folded);
  }
}

TEST_CASE("what a slow rank or host adds to a step is straggler wait, and all other parts stay") {
  for (const StepQuestion& slow :
       {StepQuestion{"torus6x4", "resnet152", 2, {{"slow_rank", "0:0.5"}}},
        StepQuestion{"dgx1-v100:nodes=2", "resnet50", 32, {{"slow_host", "1:0.5"}}},
        StepQuestion{
            "dgx1-p100:nodes=2", "resnet50", 8, {{"variable_update", "parameter_server"}, {"slow_rank", "3:0.5"}}},
        StepQuestion{"dgx-a100:nodes=2", "gpt2", 4, {{"slow_rank", "2:0.5"}}, "data=4,pipeline=4,micro_batches=4"}}) {
    INFO(slow.topology);
    const StepBreakdown even = parts_of(without(without(slow, "slow_rank"), "slow_host"));
    for (const Fidelity fidelity : {Fidelity::folded, Fidelity::fluid}) {
      const StepBreakdown step = parts_of(slow, fidelity);
      check_same_parts(step, even, "straggler wait");
      CHECK(step.straggler_wait.value == Approx((step.time - even.time + even.straggler_wait).value).epsilon(1e-5));
      CHECK(step.straggler_wait.value > 0.05 * even.time.value);
    }
  }
}

TEST_CASE("where all accelerators are as slow none waits for another") {
  const StepQuestion slow{"dgx1-v100", "resnet50", 32, {{"slow_host", "0:0.5"}}};
  const StepBreakdown even = parts_of(without(slow, "slow_host")), step = parts_of(slow);
  CHECK(step.straggler_wait == Seconds(0));
  CHECK(step.compute.value == Approx(2 * even.compute.value));
}

TEST_CASE("what a slow link adds to a step is communication") {
  const StepQuestion slow{"torus8x8", "resnet50", 8, {{"slow_link", "x0y0-x0y1:0.3"}}};
  const StepBreakdown sound = parts_of(without(slow, "slow_link")), step = parts_of(slow);
  CHECK(step.time > 1.02 * sound.time);
  check_same_parts(step, sound, "exposed communication");
}

TEST_CASE("waiting for Horovod's cycle is overhead") {
  StepQuestion horovod{
      "p3.2xlarge:nodes=8", "transformer-big", 16, {{"exchange", "horovod"}, {"horovod_cycle", "1 ms"}}};
  const StepBreakdown quick = parts_of(horovod);
  horovod.settings["horovod_cycle"] = "10 s";
  const StepBreakdown slow = parts_of(horovod);
  CHECK(slow.overhead > Seconds(8));
  CHECK(slow.compute.value == Approx(quick.compute.value));
  CHECK(slow.exposed_communication <= slow.communication);
}
