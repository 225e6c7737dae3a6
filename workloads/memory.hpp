// What a step keeps in an accelerator's memory.
#pragma once

#include <cstdint>

#include "core/units.hpp"
#include "workloads/lowering.hpp"

namespace mlsim {

/// weights          fp32, and a 16-bit copy in mixed precision
/// gradients        in the format of the backward pass
/// optimizer_state  fp32; 1/N of it with sharded update
/// activations      what the backward pass reads again (kept_elements)
/// workspace        runtime, convolution scratch and fragmentation: assumed
/// buffers          gradients on their way, on more than one rank
struct MemoryUse {
  Bytes weights, gradients, optimizer_state, activations, workspace, buffers;
  Bytes total() const { return weights + gradients + optimizer_state + activations + workspace + buffers; }
};

/// Elements per sample that stay from the forward to the backward pass: a weight gradient reads its layer's input, a
/// batch normalisation and a max pool theirs, a ReLU and a softmax their output. A ReLU and an addition work in place.
/// For a network of convolution, normalisation and ReLU this is the known sum of convolution and normalisation outputs,
/// less normalisations that only feed an addition. Fusion changes nothing here: the normalised tensor is the next
/// convolution's input and is kept, not recomputed.
std::int64_t kept_elements(const Model& model);

/// Throws InputError as check_plan does. A fractional batch counts as the next whole one.
MemoryUse memory_use(const Model& model, const StepPlan& plan);

/// The largest whole batch per accelerator that fits `memory`, 0 where not even one sample does. `plan`'s own batch has
/// no effect. `plan`'s own batch does not matter.
int largest_batch(const Model& model, const StepPlan& plan, Bytes memory);

}  // namespace mlsim
