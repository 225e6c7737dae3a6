// The laws that every answer keeps, whatever the plan: a few hundred plans drawn from the catalogue.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "tests/sim/laws/random_plan.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

constexpr double kRounding = 1e-9;

bool on_nodes(const RandomPlan& plan) { return plan.hardware.contains("nodes"); }
bool on_several(const RandomPlan& plan) { return on_nodes(plan) && plan.hardware.at("nodes") != "1"; }
bool is_even(const RandomPlan& plan) {
  return !plan.is_drawn_by_chance() && !plan.asks("slow_rank") && !plan.asks("slow_host");
}

// Exchanges that were measured of a machine do not take what their formulas say.
bool exchanges_as_measured(const Prediction& answer) {
  return std::any_of(answer.inputs.exchanges.begin(), answer.inputs.exchanges.end(),
                     [](const Statement& said) { return said.text.find("measured") != std::string::npos; });
}

// Each of the plans, all of which can be run, is at least as quick as the one before it.
void check_ever_quicker(const std::vector<RandomPlan>& plans, double slack) {
  double last = std::numeric_limits<double>::max();
  for (const RandomPlan& plan : plans) {
    INFO(plan.command());
    const auto answer = answer_of(plan);
    REQUIRE(answer);
    CHECK(answer->step.time.value <= last * (1 + slack));
    last = answer->step.time.value;
  }
}

}  // namespace

TEST_CASE("no drawn plan computes faster than the peak", "[sweep]") {
  for (const auto& [plan, answer] : random_plans(1, 250)) {
    INFO(plan.command());
    CHECK(*answer.mfu <= (answer.inputs.precision == Precision::fp32 ? 2.25 : 1));  // see bound_laws_test.cpp
    CHECK(answer.step.time.value > 0);
    CHECK(answer.scaling_efficiency > 0);
  }
}

TEST_CASE("the parts of a drawn step add up to it, none is negative, and its interval holds it", "[sweep]") {
  for (const auto& [plan, answer] : random_plans(2, 250)) {
    INFO(plan.command());
    const StepBreakdown& s = answer.step;
    const std::vector<Seconds> parts{
        s.compute, s.exposed_communication, s.optimizer, s.input_wait, s.straggler_wait, s.bubble, s.overhead};
    Seconds sum;
    for (const Seconds part : parts) {
      CHECK(part.value >= 0);
      sum += part;
    }
    CHECK(sum.value == Approx(s.time.value).epsilon(1e-6));
    CHECK(s.exposed_communication.value <= s.communication.value * (1 + kRounding));
    CHECK(answer.interval.step_time[0] <= s.time.value);
    CHECK(s.time.value <= answer.interval.step_time[1]);
  }
}

TEST_CASE("over an infinite network all that is lost has a name", "[sweep]") {
  const auto suits = [](const RandomPlan& plan) {
    return is_even(plan) && on_several(plan) && plan.parallelism.empty() && !plan.asks("sharded_update") &&
           !plan.asks("variable_update");
  };
  for (const auto& [plan, answer] : random_plans(3, 60, suits)) {
    RandomPlan infinite = plan.on("network_bandwidth", "1000 TB/s").on("network_latency", "0 s");
    infinite = infinite.on("link_bandwidth", "1000 TB/s").on("link_latency", "0 s");
    INFO(infinite.command());
    const auto ideal = answer_of(infinite);
    REQUIRE(ideal);
    const StepBreakdown& s = ideal->step;
    const PredictRequest request = infinite.request();
    const CostedStep step = costed_step(request);
    const double slowed = 1 + step.cost().pace().contention;
    // Horovod's gradients wait for its cycle; one accelerator has the stack's time a step, too.
    const Seconds cycles = max(Seconds(0), s.overhead - step.plan().software.stack.step_overhead);
    const Seconds named = s.exposed_communication + s.straggler_wait + s.input_wait + cycles;
    CHECK(s.exposed_communication.value <= answer.step.exposed_communication.value * (1 + kRounding));
    CHECK(ideal->scaling_efficiency * slowed >= (1 - named / s.time) * (1 - 0.01));
  }
}

TEST_CASE("more bandwidth, or less latency, is never slower", "[sweep]") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> steps = {
      {"network_bandwidth", {"1 GB/s", "2 GB/s", "25 GB/s", "50 GB/s", "400 GB/s"}},
      {"network_latency", {"50 us", "10 us", "1 us", "0 s"}},
      {"link_bandwidth", {"5 GB/s", "10 GB/s", "40 GB/s", "80 GB/s"}},
      {"link_latency", {"20 us", "2 us", "0 s"}}};
  // NCCL's tuner may choose worse where a network is better, as it does.
  const auto suits = [](const RandomPlan& plan) { return is_even(plan) && !plan.asks("choice"); };
  // Of several axes the layout goes by the time of all exchanges, exposed or not.
  constexpr double kOtherLayout = 0.05;
  int number = 0;
  for (const auto& [plan, answer] : random_plans(4, 60, suits)) {
    const auto& [option, values] = steps[number++ % 4];
    if (option.starts_with("network") && !on_several(plan)) continue;
    std::vector<RandomPlan> ever_better;
    for (const std::string& value : values) ever_better.push_back(plan.on(option, value));
    check_ever_quicker(ever_better, plan.parallelism.empty() ? kRounding : kOtherLayout);
  }
}

TEST_CASE("a chip that is faster in everything is never slower") {
  // H200 has its kind's curve, H100 one of its own, so they are not compared.
  const std::vector<std::string> chips = {"v100-sxm2-32gb", "a100-sxm4-40gb", "a100-sxm4-80gb", "h100-sxm5"};
  const auto suits = [](const RandomPlan& plan) { return is_even(plan) && plan.machine == "dgx-a100"; };
  for (auto [plan, answer] : random_plans(10, 40, suits)) {
    plan.anchored = false;  // else software differs
    if (plan.precision.empty() || plan.precision == "bf16") plan.precision = "fp16";
    std::vector<RandomPlan> ever_faster;
    for (const std::string& chip : chips)
      if (const RandomPlan other = plan.on("accelerator", chip); answer_of(other)) ever_faster.push_back(other);
    check_ever_quicker(ever_faster, kRounding);
  }
}

TEST_CASE("the quickest algorithm is at most as slow as any other choice", "[sweep]") {
  const std::vector<std::pair<std::string, std::string>> choices = {{"choice", "nccl"},
                                                                    {"algorithm", "ring"},
                                                                    {"algorithm", "tree"},
                                                                    {"algorithm", "direct"},
                                                                    {"protocol", "simple"}};
  const auto suits = [](const RandomPlan& plan) { return is_even(plan) && !plan.asks("variable_update"); };
  constexpr double kFound = 1e-5;  // to which the links of an asked schedule are found
  // Of schedules that are about as quick the planner takes the simpler one (planner.cpp); NCCL's structure, which an
  // asked schedule never beats, is of all-reduces, not of a sharded update's two halves.
  constexpr double kMargin = 0.05;
  for (const auto& [plan, answer] : random_plans(5, 50, suits)) {
    RandomPlan free = plan;
    free.settings.erase("choice");
    const auto quickest = answer_of(free);
    INFO(free.command());
    REQUIRE(quickest);
    if (exchanges_as_measured(*quickest)) continue;
    for (const auto& [key, value] : choices) {
      const RandomPlan other = free.with(key, value);
      INFO(other.command());
      if (const auto chosen = answer_of(other))
        CHECK(quickest->step.time.value <=
              chosen->step.time.value * (1 + (plan.asks("sharded_update") ? kMargin : kFound)));
    }
  }
}

TEST_CASE("overlap is never slower than none by more than its buckets cost", "[sweep]") {
  const auto suits = [](const RandomPlan& plan) {
    return is_even(plan) && !plan.asks("exchange") && !plan.asks("overlap_slowdown");
  };
  for (const auto& [plan, answer] : random_plans(6, 80, suits)) {
    const RandomPlan on = plan.with("overlap", "on");
    INFO(on.command());
    const auto with = answer_of(on), without = answer_of(plan.with("overlap", "off"));
    if (!with || !without) continue;
    // A framework that overlaps sends buckets, each with latencies of its own; none is one exchange of all gradients.
    const Seconds of_buckets = max(Seconds(0), with->step.communication - without->step.communication);
    CHECK((with->step.time - of_buckets).value <= without->step.time.value * (1 + kRounding));
  }
}

TEST_CASE("fewer epochs never take longer, and as many in fewer steps neither", "[sweep]") {
  const auto suits = [](const RandomPlan& plan) { return is_even(plan) && plan.settings.size() < 2; };
  for (const auto& [plan, answer] : random_plans(7, 50, suits)) {
    double last = 0;
    for (const char* epochs : {"0.5", "1", "3", "30"}) {
      const RandomPlan other = plan.with("epochs", epochs);
      INFO(other.command());
      const auto job = answer_of(other);
      REQUIRE(job);
      REQUIRE(job->time_to_target);
      CHECK(job->time_to_target->value >= last);
      last = job->time_to_target->value;
    }
    RandomPlan larger = plan;
    larger.batch *= 2;
    INFO(larger.command());
    if (const auto twice = answer_of(larger))
      CHECK(twice->throughput.value >= answer.throughput.value * (1 - kRounding));
  }
}

TEST_CASE("more memory never refuses what less memory took, nor a batch of it", "[sweep]") {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"dgx1-v100:accelerator=v100-sxm2-16gb", "dgx1-v100:accelerator=v100-sxm2-32gb"},
      {"dgx-a100:accelerator=a100-sxm4-40gb", "dgx-a100:accelerator=a100-sxm4-80gb"},
      {"dgx-h100:accelerator=h100-sxm5", "dgx-h100:accelerator=h200-sxm"}};
  int taken = 0;
  for (const auto& [plan, answer] : random_plans(8, 60, on_nodes)) {
    for (const auto& [less, more] : pairs) {
      RandomPlan small = plan, large = plan;
      small.machine = less;
      large.machine = more;
      const auto held = answer_of(small);
      if (!held) continue;
      INFO(large.command());
      const auto answer_of_more = answer_of(large);
      REQUIRE(answer_of_more);
      CHECK(answer_of_more->memory.largest_batch_per_accelerator >= held->memory.largest_batch_per_accelerator);
      ++taken;
    }
  }
  CHECK(taken > drawn_of(60));
}

TEST_CASE("drawn plans on small systems take the same time folded and flow by flow") {
  const auto suits = [](const RandomPlan& plan) {
    const bool small =
        plan.machine == "torus4x4" || (on_nodes(plan) && (plan.machine == "dgx1-v100" || plan.machine == "hgx-v100-4" ||
                                                          plan.machine == "dgx-a100" || plan.machine == "gke-t4"));
    return small && !plan.is_drawn_by_chance() && (!on_nodes(plan) || std::stoi(plan.hardware.at("nodes")) <= 2);
  };
  for (const auto& [plan, answer] : random_plans(9, 25, suits)) {
    INFO(plan.command());
    const auto [folded, fluid] = flow_answers_of(plan);
    REQUIRE(folded);
    REQUIRE(fluid);
    CHECK(fluid->step.time.value == Approx(folded->step.time.value).epsilon(1e-6));
  }
}
