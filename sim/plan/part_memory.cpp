#include "sim/plan/part_memory.hpp"

#include <algorithm>

#include "workloads/pipeline/pipeline_memory.hpp"

namespace mlsim::sim {

MemoryUse part_memory(const ModelPart& part, const StepPlan& step) {
  return part.pipeline ? pipeline_memory(part.sharded, step, *part.pipeline).use : memory_use(part.sharded, step);
}

int most_samples(const ModelPart& part, const StepPlan& step, Bytes memory) {
  return part.pipeline ? largest_pipeline_batch(part.sharded, step, *part.pipeline, memory)
                       : largest_batch(part.sharded, step, memory);
}

Prediction::Memory memory_answer(const ModelPart& part, const StepPlan& step, Bytes memory) {
  const MemoryUse use = part_memory(part, step);
  const Parallelism& parallelism = step.parallelism;
  Prediction::Memory answer;
  answer.capacity = memory;
  answer.per_accelerator = use.total();
  answer.fits = use.total() <= tolerated(memory);
  answer.largest_batch_per_accelerator =
      std::max(double(most_samples(part, step, memory)), answer.fits ? step.batch_per_accelerator : 0) *
      parallelism.batch_ranks() / parallelism.ranks();
  answer.parts = {use.weights, use.gradients, use.optimizer_state, use.activations, use.workspace, use.buffers};
  return answer;
}

}  // namespace mlsim::sim
