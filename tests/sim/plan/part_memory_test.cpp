#include "sim/plan/part_memory.hpp"

#include "catch.hpp"

using namespace mlsim;
using namespace mlsim::test;

namespace {

StepPlan adam_in_fp16(double batch) {
  StepPlan step;
  step.batch_per_accelerator = batch;
  step.precision = Precision::fp16;
  step.optimizer = Optimizer::adam;
  return step;
}

}  // namespace

TEST_CASE("the answer holds the parts of the memory, which make up the whole") {
  const Bytes memory = mebibytes(16384);
  const Prediction::Memory answer = memory_answer({load_model("bert-large"), {}}, adam_in_fp16(4), memory);
  const auto& parts = answer.parts;
  const Bytes sum =
      parts.weights + parts.gradients + parts.optimizer_state + parts.activations + parts.workspace + parts.buffers;
  CHECK(sum.value == Approx(answer.per_accelerator.value));
  CHECK(parts.weights.value == Approx(6.0 * 336226108));  // fp32 and the fp16 copy
  CHECK(answer.capacity == memory);
  CHECK(answer.fits);
}

TEST_CASE("the most samples fit and one more does not, whatever the batch of the step") {
  const ModelPart part{load_model("resnet50"), {}};
  const Bytes memory = mebibytes(16384);
  const int most = most_samples(part, adam_in_fp16(1), memory);
  CHECK(most_samples(part, adam_in_fp16(64), memory) == most);
  CHECK(part_memory(part, adam_in_fp16(most)).total() <= memory);
  CHECK(part_memory(part, adam_in_fp16(most + 1)).total() > memory);
}
