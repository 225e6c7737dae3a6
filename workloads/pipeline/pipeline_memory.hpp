// PipelineMemory is what the stages of a pipeline keep in memory.
#pragma once

#include <vector>

#include "core/units.hpp"
#include "workloads/lowering/memory.hpp"
#include "workloads/lowering/sharded_model.hpp"
#include "workloads/pipeline/pipeline.hpp"

namespace mlsim::workloads {

/// The stage is the one that needs the most: its chunks' weights, gradients and state, and activations of all
/// micro-batches in flight; where gpipe recomputes all, their inputs and the activations of one chunk.
struct PipelineMemory {
  int stage = 0;
  MemoryUse use;
};
PipelineMemory pipeline_memory(const ShardedModel& sharded, const StepPlan& plan, const PipelinePlan& pipeline);

/// Returns the bytes per sample that the chunks of each stage send to the host in their forward passes.
std::vector<Bytes> offloaded_by_stage(const ShardedModel& sharded, const StepPlan& plan, const PipelinePlan& pipeline);

/// Returns the largest whole batch (plan.batch_per_accelerator) that fits on every stage, a multiple of the
/// micro-batches; 0 where none does. `plan`'s own batch does not matter.
int largest_pipeline_batch(const ShardedModel& sharded, const StepPlan& plan, const PipelinePlan& pipeline,
                           Bytes memory);

}  // namespace mlsim::workloads
