// check_memory() says whether a part of a model fits the memory of its accelerators, and what would.
#pragma once

#include "sim/namespace.hpp"
#include "sim/plan/model_part.hpp"

namespace mlsim::sim {

/// Throws Infeasible where the step of `part`, which was cut from `source`, needs more than is tolerated
/// (part_memory.hpp), with the largest part of its need and the nearest that fits: the largest batch, else recompute,
/// else a sharded update, else one over more ranks, else accelerators of the catalogue that hold a sample.
void check_memory(const PartSource& source, const ModelPart& part, const StepPlan& step);

}  // namespace mlsim::sim
