// A part of a model takes memory on its accelerator; here it is counted, and checked against what there is.
#pragma once

#include "core/result/prediction.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/model_part.hpp"
#include "workloads/lowering/memory.hpp"

namespace mlsim::sim {

/// Returns the estimate up to which a step is not refused: 5 % past the memory, as those of runs that happened reach
/// 3 % past it (validation/published/llm_*.csv: DGX Cloud, MLPerf v5.0, Megatron Bridge).
inline Bytes tolerated(Bytes memory) { return 1.05 * memory; }

/// Counts what the fullest rank keeps.
MemoryUse part_memory(const ModelPart& part, const StepPlan& step);

/// Returns the largest batch of the part (StepPlan::batch_per_accelerator) that fits `memory`, whatever the step's own;
/// 0 where none does.
int most_samples(const ModelPart& part, const StepPlan& step, Bytes memory);

/// Returns the same for an answer: memory use part by part, and the largest batch.
Prediction::Memory memory_answer(const ModelPart& part, const StepPlan& step, Bytes memory);

/// Throws Infeasible where the step of `part`, which was cut from `source`, needs more than tolerated()
/// memory, with the largest part of its need and the nearest that fits: the largest batch, else recompute,
/// else a sharded update, else one over more ranks, else accelerators of the catalogue that hold a sample.
void check_memory(const PartSource& source, const ModelPart& part, const StepPlan& step);

}  // namespace mlsim::sim
