// What a step keeps in an accelerator's memory.
#pragma once

#include "core/units.hpp"
#include "workloads/lowering.hpp"

namespace mlsim {

struct MemoryUse {
  Bytes weights, gradients, optimizer_state, activations, workspace, buffers;
  Bytes total() const { return weights + gradients + optimizer_state + activations + workspace + buffers; }
};
MemoryUse memory_use(const Model& model, const StepPlan& plan);

/// The largest whole batch per accelerator that fits `memory`, 0 where not even one sample does.
int largest_batch(const Model& model, const StepPlan& plan, Bytes memory);

}  // namespace mlsim
