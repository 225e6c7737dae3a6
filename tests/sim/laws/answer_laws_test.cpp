// What the figures of one answer have to do with each other, and with those of the next larger question.
#include <cmath>
#include <string>

#include "catch.hpp"
#include "tests/sim/laws/random_plan.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

constexpr double kDigits = 1e-9;

bool drawn_anew(const RandomPlan& plan) {
  return plan.asks("jitter") || plan.asks("speed_spread") || plan.asks("input_skew");
}
int boxes(const RandomPlan& plan) { return std::stoi(plan.hardware.at("nodes")); }

}  // namespace

TEST_CASE("a drawn answer's rate is its batch over its step, and its cost its price over what is billed", "[sweep]") {
  int priced = 0;
  for (const auto& [plan, answer] : random_plans(31, 150)) {
    INFO(plan.command());
    CHECK(answer.throughput.value == Approx(answer.inputs.global_batch / answer.step.time.value).epsilon(kDigits));
    CHECK(answer.inputs.global_batch ==
          Approx(answer.inputs.accelerators * answer.inputs.batch_per_accelerator).epsilon(kDigits));
    if (!answer.cost || !answer.price) continue;
    ++priced;
    CHECK(answer.cost->value == Approx((*answer.price * answer.job->billed).value).epsilon(kDigits));
  }
  CHECK(priced > drawn_of(20));
}

TEST_CASE("a drawn question asked again has the same answer to the last byte") {
  for (const auto& [plan, answer] : random_plans(32, 60)) {
    INFO(plan.command());
    CHECK(to_json(*answer_of(plan)) == to_json(answer));
  }
}

TEST_CASE("one accelerator exchanges nothing, whatever is asked") {
  int alone = 0;
  const auto suits = [](const RandomPlan& plan) {  // one with a parameter server on its host speaks with that
    return plan.hardware.contains("nodes") && plan.parallelism.empty() && !plan.asks("variable_update");
  };
  for (const auto& [plan, answer] : random_plans(33, 60, suits)) {
    RandomPlan one = plan.on("nodes", "1");
    if (one.machine != "gke-t4") one = one.on("per_node", "1");
    const auto single = answer_of(one);
    if (!single) continue;
    INFO(one.command());
    REQUIRE(single->inputs.accelerators == 1);
    CHECK(single->step.communication == Seconds(0));
    CHECK(single->step.exposed_communication == Seconds(0));
    ++alone;
  }
  CHECK(alone > drawn_of(30));
}

// Horovod may put more gradients into a buffer where the backward pass takes longer: GNMT on 128 A100 of PCIe computes
// 0.9 % longer with 4 samples each than with 2, and exchanges 1 % shorter. Where no software is named, runs of nearer
// batches may speak for other software, whose host is quicker.
TEST_CASE("twice the batch takes no less memory, and by the same software no less time", "[sweep]") {
  int by_same = 0, by_other = 0;
  for (const auto& [plan, answer] : random_plans(34, 100)) {
    RandomPlan larger = plan;
    larger.batch *= 2;
    const auto twice = answer_of(larger);
    if (!twice) continue;
    INFO(larger.command());
    const bool same = twice->inputs.stack == answer.inputs.stack;
    ++(same ? by_same : by_other);
    if (same) CHECK(twice->step.time.value >= answer.step.time.value * (1 - 0.01));
    CHECK(twice->memory.per_accelerator >= answer.memory.per_accelerator);
    CHECK(twice->memory.parts.activations >= answer.memory.parts.activations);
  }
  CHECK(by_same > 5 * by_other);
}

TEST_CASE("formulas are within their bound of folded flows on drawn plans", "[sweep]") {
  constexpr double kFormulas = 0.3;
  const auto suits = [](const RandomPlan& plan) { return !drawn_anew(plan); };
  for (auto [plan, answer] : random_plans(35, 60, suits)) {
    plan.fidelity = Fidelity::folded;
    INFO(plan.command());
    const auto folded = answer_of(plan);
    REQUIRE(folded);
    CHECK(std::abs(answer.step.time / folded->step.time - 1) <= kFormulas);
    CHECK(answer.step.compute.value == Approx(folded->step.compute.value).epsilon(1e-6));
  }
}

TEST_CASE("twice the nodes, with the same batch each, never take a shorter step") {
  const auto suits = [](const RandomPlan& plan) {
    return plan.hardware.contains("nodes") && plan.parallelism.empty() && boxes(plan) <= 8 && !drawn_anew(plan);
  };
  int compared = 0;
  for (auto [plan, answer] : random_plans(36, 60, suits)) {
    plan.anchored = false;  // else the runs that each size leans on differ
    const auto fewer = answer_of(plan), more = answer_of(plan.on("nodes", std::to_string(2 * boxes(plan))));
    INFO(plan.command());
    if (!fewer || !more) continue;
    CHECK(more->step.time.value >= fewer->step.time.value * (1 - kDigits));
    ++compared;
  }
  CHECK(compared > drawn_of(40));
}
