// Whether a plan fits the memory of its accelerators, and what would.
#pragma once

#include "core/prediction.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"

namespace mlsim::sim {

/// What the fullest rank keeps, and the largest batch of one rank's part of the model that fits; 0 where none does.
MemoryUse plan_memory(const Plan& plan);
int largest_part_batch(const Plan& plan);

/// Throws Infeasible where the plan does not fit, with the largest part of what it needs and the nearest plan that
/// fits: the largest batch, else recompute, else a sharded update, else one over more ranks, else accelerators of the
/// catalogue that hold a sample.
void check_memory(const Plan& plan);

/// What a plan takes of an accelerator's memory, part by part, and the largest batch there.
Prediction::Memory memory_answer(const Plan& plan);

}  // namespace mlsim::sim
