// Tensor and sequence parallelism gives each rank a part of the heads, the hidden units and the vocabulary.
#pragma once

#include "workloads/lowering/sharded_model.hpp"

namespace mlsim::workloads {

/// Splits a model over the ranks of Axis::tensor as Megatron-LM does (Shoeybi et al., arXiv:1909.08053, section 3),
/// found by walking the graph (workloads/split/tensor_layout.hpp), not by names:
///   column-parallel  a dense layer on a whole input makes outputs / ranks, where all that reads them works channel by
///                    channel or head by head until
///   row-parallel     a dense layer reads them, inputs / ranks, and partial sums are all-reduced behind it, or until
///   vocabulary       a softmax loss reads them, and only its maxima, sums and labels' logits are exchanged
///   tables           an embedding has rows / ranks; partial look-ups are all-reduced behind it. Output layers that
///                    share a table are split like it.
/// The gradient of a tensor that column-parallel layers read is all-reduced once: before the backward pass of what made
/// it. A column-parallel layer has a part of its bias, a row-parallel one all of it. Convolutions, lstms and embedding
/// bags stay whole on every rank. Shares of a vocabulary may differ by one entry; this is the rank with the most.
///
/// With `sequence` (Korthikanti et al., arXiv:2205.05198, section 4.2.2) the layers in between work on tokens / ranks:
/// each all-reduce is a reduce-scatter, and an all-gather where the whole is read again. The gradients of their own
/// parameters are partial sums and cross Axis::tensor too. The all-gather for weight gradients, which Megatron-LM hides
/// behind the product that makes the input gradient, is left out.
///
/// Where they are `overlapped`, exchanges of what products read and make run beside these products, cut into parts
/// (NVIDIA TransformerEngine, --tp-comm-overlap).
///
/// `whole_experts` stay so, each for the tokens of its rank (split_experts), which needs `sequence`.
///
/// Throws InputError where `ranks` is below 1, and Infeasible where no layer can be split, or where heads, outputs or
/// tokens do not divide by `ranks`: with the layer, the number and the nearest count of ranks that works.
ShardedModel split_tensor(ShardedModel sharded, int ranks, bool sequence, bool overlapped = false,
                          bool whole_experts = false);

}  // namespace mlsim::workloads
