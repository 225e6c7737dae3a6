// MemoryUse is what a step keeps in an accelerator's memory, KeptTensors what of it the backward pass reads.
#pragma once

#include <string_view>
#include <utility>

#include "core/kernel/precision.hpp"
#include "core/units.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/lowering/sharded_model.hpp"
#include "workloads/lowering/step_plan.hpp"

namespace mlsim::workloads {

/// KeptTensors are those that stay in memory from the forward to the backward pass.
struct KeptTensors {
  double elements = 0;  // in the format of the step
  double masks = 0;     // elements of masks, a byte each
  double wide = 0;      // in fp32
  double operands = 0;  // that matrix products alone read again
  /// Recipes keep operands as the products read them (NVIDIA/TransformerEngine, pytorch/module/linear.py: the
  /// backward pass has the cast input), all else in 16 bits.
  Bytes bytes(Precision precision) const {
    const Bytes element = element_size(precision), operand = operand_size(precision);
    return element * elements + operand * operands + Bytes(masks + 4 * wide);
  }
};

/// RunAgain says which forward work runs again in the backward pass, one after the other: modules of blocks, each
/// repetition of repeated blocks, or everything at once.
struct RunAgain {
  enum class What { nothing, modules, blocks, everything };
  What what = What::nothing;
  RecomputeModules modules = {};
  int blocks = 0;  // so many of the repeated blocks, the first ones; 0: all
};
RunAgain run_again(const StepPlan& plan);

/// KeptActivations are what one sample keeps; kept_per_sample tells the rules.
struct KeptActivations {
  KeptTensors each;        // kept by every micro-batch in flight
  KeptTensors recomputed;  // kept by one micro-batch at a time
};
KeptActivations kept_tensors(const ShardedModel& sharded, bool fusion, const RunAgain& again);

/// Returns how much of what a part of a model keeps for each micro-batch stays on the accelerator, from 0 to 1, of
/// `in_flight` micro-batches together. Of what goes to the host one block's is on its way out or back and another's is
/// read.
double share_on_accelerator(const ShardedModel& sharded, const Offload& offload, double in_flight);

/// Returns the bytes per sample that the forward pass sends to the host and the backward pass takes back.
Bytes offloaded_per_sample(const ShardedModel& sharded, const StepPlan& plan);

/// A step keeps these parts:
/// weights          fp32, and a 16-bit copy in mixed precision; with a sharded optimizer, which gathers them in
///                  16 bits, fp32 for 1/N of them (ZeRO-1, Rajbhandari et al., arXiv:1910.02054); of sharded parameters fp32
///                  for 1/N and the gathered copy of two blocks at a time
/// gradients        in the format of the backward pass, without fusion also in fp32, or as they are sent where
///                  they stay in place; 1/N where they are sharded; of a sparse embedding the rows that the batch reads
/// optimizer_state  fp32; of dense parameters 1/N of it where it is sharded; none for frozen parameters
/// activations      what the backward pass of a micro-batch reads again (kept_per_sample)
/// workspace        runtime, convolution scratch and fragmentation: assumed
/// buffers          gradients on their way, on more than one rank, where they do not leave from their place
struct MemoryUse {
  Bytes weights, gradients, optimizer_state, activations, workspace, buffers;
  Bytes total() const { return weights + gradients + optimizer_state + activations + workspace + buffers; }
};

/// Returns the name of the largest part, "activations", and its size.
std::pair<std::string_view, Bytes> largest_part(const MemoryUse& use);

/// Returns the bytes per sample that stay from the forward to the backward pass, by what each operator says that it
/// reads again (workloads/model/operator.hpp): a weight gradient reads its layer's input, a normalisation and a max
/// pool theirs, a ReLU and a softmax their output, a dropout its mask; an addition reads nothing; frozen parameters
/// need no input. A tensor is counted once; a view counts as the tensor that it shows. Tensors are in the format of the
/// step, masks in a byte an element.
///
/// For a network of convolution, normalisation and ReLU this is the known sum of convolution and normalisation outputs,
/// less normalisations that only feed an addition, with fusion or without. For layers that a stack without fusion makes
/// of many operators (Composite) fusion saves what lies between those: with it, a transformer
/// layer of width h on s tokens with a heads keeps the s h (34 + 5 a s / h) bytes of Korthikanti et al.
/// (arXiv:2205.05198, section 4.1) in 16-bit formats.
///
/// With full recompute, repeated blocks keep what one repetition hands to another, and one repetition at a time the
/// rest; layers outside of repeated blocks keep all, as do blocks past StepPlan::recompute_blocks. With selective
/// recompute the modules' layers keep what LayerAgain says, and one block's modules at a time the rest.
Bytes kept_per_sample(const ShardedModel& sharded, const StepPlan& plan);

/// Throws InputError as check_plan does. A fractional batch counts as the next whole one.
MemoryUse memory_use(const ShardedModel& sharded, const StepPlan& plan);
/// Uses so many bytes kept per sample of a micro-batch, those of all micro-batches in flight included.
MemoryUse memory_use(const ShardedModel& sharded, const StepPlan& plan, Bytes kept_per_sample);

/// Returns the largest whole batch per accelerator that fits `memory`, a multiple of the micro-batches; 0 where not
/// even one sample in each does. `plan`'s own batch does not matter.
int largest_batch(const ShardedModel& sharded, const StepPlan& plan, Bytes memory);

}  // namespace mlsim::workloads
