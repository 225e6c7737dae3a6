// lower_pipeline() turns a model cut into stages into the step graph of all of them.
#pragma once

#include <vector>

#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/sharded_model.hpp"
#include "workloads/pipeline/schedule.hpp"

namespace mlsim::workloads {

/// plan.parallelism[Axis::pipeline] counts the stages, plan.micro_batches the micro-batches.
struct PipelinePlan {
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  int chunks = 1;                 // per stage
  std::vector<int> first_layers;  // first layer of each chunk, as balanced_stages(..., stages x chunks)
  bool operator==(const PipelinePlan&) const = default;
};
PipelineShape shape_of(const StepPlan& plan, const PipelinePlan& pipeline);

/// Throws what check_plan and check_shape do, and Infeasible where the micro-batches do not divide the batch, with the
/// nearest that do.
void check_pipeline(const StepPlan& plan, const PipelinePlan& pipeline);

/// Lowers one step of all stages: the role of a node is its stage. Each micro-batch and chunk has
///   forward    one kernel sequence, behind the transfer of what earlier chunks made
///   recompute  with full recompute: gpipe keeps the inputs of its chunks only and runs a chunk's forward kernels
///              again, which need not wait for gradients; the other schedules run repeated blocks again as lower() does
///   backward   one kernel sequence, behind the transfer of gradients. That of the last micro-batch is cut where
///              gradient buckets become complete
///   transfers  of crossing tensors and their gradients; exchanges inside a chunk (tensor, expert, ...) as one
///              collective with `repeats` for all that have one kind and axes, behind its kernels
///   gathers    of sharded parameters, once, before the first micro-batch
/// and for each chunk the exchange of gradients, of tied parameters between their stages (each sends its sum to the
/// others), and the update, as in lower(). Only the first stage has host input. Throws as check_pipeline.
StepGraph lower_pipeline(const ShardedModel& sharded, const StepPlan& plan, const PipelinePlan& pipeline);

}  // namespace mlsim::workloads
