#include <algorithm>

#include "catch.hpp"
#include "workloads/lowering/memory.hpp"
#include "workloads/pipeline/partition.hpp"
#include "workloads/pipeline/pipeline.hpp"
#include "workloads/pipeline/pipeline_memory.hpp"
#include "workloads/pipeline/stage.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

struct Case {
  ShardedModel model;
  StepPlan plan;
  PipelinePlan pipeline;
  PipelineMemory memory() const { return pipeline_memory(model, plan, pipeline); }
};

// Two equal transformer layers a stage, between a table and an output layer that are next to nothing.
Case equal_stages(int stages, int micro_batches, PipelineSchedule schedule, int chunks = 1) {
  const int layers = 2 * stages * chunks;
  Case made{load_model("gpt2:vocabulary=64,layers=" + std::to_string(layers)), {}, {}};
  made.plan.parallelism[Axis::pipeline] = stages;
  made.plan.micro_batches = micro_batches;
  made.plan.batch_per_accelerator = micro_batches;
  made.plan.precision = Precision::bf16;
  made.pipeline.schedule = schedule;
  made.pipeline.chunks = chunks;
  made.pipeline.first_layers = {0};
  for (int i = 1; i < stages * chunks; ++i) made.pipeline.first_layers.push_back(4 + i * 2 * 12);
  return made;
}

// Korthikanti et al., arXiv:2205.05198: s h (34 + 5 a s / h) bytes a sample and layer.
constexpr double kLayer = 1024.0 * 768 * (34 + 5.0 * 12 * 1024 / 768);

}  // namespace

TEST_CASE("pipeline memory: activations of all micro-batches in flight") {
  for (const int micro_batches : {1, 4, 16}) {
    CAPTURE(micro_batches);
    const auto gpipe = equal_stages(4, micro_batches, PipelineSchedule::gpipe).memory();
    CHECK(gpipe.use.activations.value == Approx(2 * kLayer * micro_batches).epsilon(0.03));
    const auto alternating = equal_stages(4, micro_batches, PipelineSchedule::one_f_one_b).memory();
    CHECK(alternating.stage == 0);
    CHECK(alternating.use.activations.value == Approx(2 * kLayer * std::min(4, micro_batches)).epsilon(0.03));
  }
  // 1 + (p - 1) / (p v) times 1f1b's, of as many layers a stage.
  const auto interleaved = equal_stages(4, 16, PipelineSchedule::interleaved, 2).memory();
  CHECK(interleaved.use.activations.value == Approx(4 * kLayer * 4 * (1 + 3.0 / 8)).epsilon(0.03));
}

TEST_CASE("pipeline memory: gpipe that recomputes keeps the inputs of its stages and one micro-batch's activations") {
  Case each = equal_stages(4, 16, PipelineSchedule::gpipe);
  each.plan.recompute = Recompute::full;
  const double input = 2 * 1024.0 * 768;
  CHECK(each.memory().use.activations.value == Approx(16 * input + 2 * kLayer).epsilon(0.03));
  // 1f1b with recomputed layers: what one hands to the next, and one layer.
  each.pipeline.schedule = PipelineSchedule::one_f_one_b;
  CHECK(each.memory().use.activations.value == Approx(4 * 2 * input + kLayer).epsilon(0.1));
}

TEST_CASE("pipeline memory: with selective recompute a stage keeps the scores of one layer, whatever is in flight") {
  const double scores = 5 * 12 * 1024 * 1024;
  for (const auto schedule : {PipelineSchedule::gpipe, PipelineSchedule::one_f_one_b}) {
    CAPTURE(name(schedule));
    Case each = equal_stages(4, 16, schedule);
    const double all = each.memory().use.activations.value;
    each.plan.recompute = Recompute::selective;
    const double in_flight = schedule == PipelineSchedule::gpipe ? 16 : 4;
    CHECK(all - each.memory().use.activations.value == Approx((2 * in_flight - 1) * scores));
  }
}

TEST_CASE("pipeline memory: one stage needs what one rank does") {
  Case each = equal_stages(1, 4, PipelineSchedule::one_f_one_b);
  const MemoryUse one = memory_use(each.model, each.plan);
  const MemoryUse use = each.memory().use;
  CHECK(use.total().value == Approx(one.total().value));
  CHECK(use.activations == one.activations);
}

TEST_CASE("pipeline memory: chunks add up to their stage's weights") {
  const auto chunks = equal_stages(2, 4, PipelineSchedule::interleaved, 2).memory();
  Case each = equal_stages(2, 4, PipelineSchedule::interleaved, 2);
  each.pipeline.chunks = 1;
  each.pipeline.first_layers = {0, 4 + 4 * 12};
  const auto halves = each.memory();
  CHECK(chunks.use.weights.value == Approx(halves.use.weights.value).epsilon(0.01));
  CHECK(chunks.use.optimizer_state.value == Approx(halves.use.optimizer_state.value).epsilon(0.01));
}

TEST_CASE("pipeline memory: the largest batch fits and the next does not") {
  for (const Recompute recompute : {Recompute::off, Recompute::selective, Recompute::full}) {
    for (const auto schedule : {PipelineSchedule::gpipe, PipelineSchedule::one_f_one_b}) {
      CAPTURE(name(schedule), name(recompute));
      Case each = equal_stages(4, 4, schedule);
      each.plan.recompute = recompute;
      const Bytes memory(16e9);
      const int largest = largest_pipeline_batch(each.model, each.plan, each.pipeline, memory);
      REQUIRE(largest > 0);
      CHECK(largest % 4 == 0);
      each.plan.batch_per_accelerator = largest;
      CHECK(each.memory().use.total() <= memory);
      each.plan.batch_per_accelerator = largest + 4;
      CHECK(each.memory().use.total() > memory);
      CHECK(largest_pipeline_batch(each.model, each.plan, each.pipeline, Bytes(0.6e9)) == 0);
    }
  }
}
