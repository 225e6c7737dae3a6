// Layer work is what each pass of a layer has to do: kernels with FLOP, matrix products, device-memory bytes and keys.
//
// One function per family of operators, named in the operator table (workloads/model/operator.hpp), says which kernels
// there are and of what shape; costs/kernel_work.hpp counts what each has to do. A fractional batch counts as it is in
// FLOP and bytes; keys round it up.
#pragma once

#include <vector>

#include "core/kernel/precision.hpp"
#include "costs/kernel_work.hpp"
#include "workloads/model/model.hpp"
#include "workloads/model/operator.hpp"

namespace mlsim::workloads {

using costs::TensorPasses;
using Kernels = std::vector<KernelWork>;

/// Counts convolutions, plain and transposed. A transposed convolution is the convolution from its output to its input
/// with forward and input gradient exchanged (Dumoulin & Visin, arXiv:1603.07285, section 4).
///
/// The key has no padding: a convolution padded otherwise than by (k - 1) / 2 is named by the input extents that give
/// the same output with that padding.
Kernels convolution_work(const Layer&, Pass, double batch, Precision, FusionRole);

/// A dense layer is one product (batch positions, outputs, channels); expert_dense is one per expert, on the positions
/// x chosen / experts that an even routing sends it. Without fusion the bias of a sequence is a kernel of its own
/// (TensorFlow's BiasAdd); of a single vector it is nothing beside the weights.
Kernels dense_work(const Layer&, Pass, double batch, Precision, FusionRole);

/// Each direction takes one product of all positions with the input weights, and a recurrence with one product and one
/// launch a position, the cell's pointwise part in the same kernel; the weight gradients are products over all
/// positions again (Appleyard et al., Optimizing Performance of Recurrent Neural Networks on GPUs, arXiv:1604.01946).
Kernels lstm_work(const Layer&, Pass, double batch, Precision, FusionRole);

/// Counts attention, self_attention, additive_attention and dot_interaction. Both gradients are in
/// Pass::input_gradient.
Kernels attention_work(const Layer&, Pass, double batch, Precision, FusionRole);

/// Counts the state space of Mamba-2 (Dao and Gu, arXiv:2405.21060) as its kernels have it (state-spaces/mamba,
/// mamba_ssm/ops/triton/ssd_combined.py): the causal convolution and the gated norm move their tensors, products run by
/// chunk and group of heads that share B and C, and states between chunks go through memory in fp32. The backward pass,
/// all of it in Pass::input_gradient, makes the convolution, B times C and the states again.
Kernels state_space_work(const Layer&, Pass, double batch, Precision, FusionRole);

/// Counts what decoder-only language models add: each layer is one kernel each way, whatever the stack fuses, as
/// frameworks for them have it (Transformer Engine, Apex, Liger-Kernel). Elements read and written for each element of
/// the input, forward and backward (all of it in Pass::input_gradient); a row of a normalisation stays on chip:
///
///   rms_normalization      1, 1          2, 1         input and gradient
///   head_normalization     1, 1          2, 1         queries and keys only
///   squared_relu           1, 1          2, 1
///   swiglu, geglu          1, 1/2        1 1/2, 1     the input holds both halves
///   rotary                 1, 1          1, 1         queries and keys only
///   latent_rotary          inputs, output             each way
///   expert_dispatch        output twice               each way: a row is read once for each of its experts
///   expert_combine         input, output              each way
///   cross_entropy          2, 1          1, 1         the gradient takes the place of the logits in forward
Kernels decoder_work(const Layer&, Pass, double batch, Precision, FusionRole);

/// Embeddings and roi_align read whole rows from anywhere in device memory.
Kernels look_up_work(const Layer&, Pass, double batch, Precision, FusionRole);

/// Counts normalisations, pointwise layers, pooling, views and losses. All backward work is in Pass::input_gradient.
Kernels elementwise_layer_work(const Layer&, Pass, double batch, Precision, FusionRole);

Kept matrix_kept(const Layer&, FusionRole);     // convolution, dense, expert_dense, lstm
Kept attention_kept(const Layer&, FusionRole);  // attention, self_attention, additive_attention, dot_interaction
Kept state_space_kept(const Layer&, FusionRole);
Kept look_up_kept(const Layer&, FusionRole);
Kept decoder_kept(const Layer&, FusionRole);
Kept elementwise_kept(const Layer&, FusionRole);  // the rest

/// Returns how often an elementwise layer reads and writes its tensor (its input; a pool's larger side). The sums are:
///
///                        separate: forward  backward   leads: forward  backward   merged: forward  backward
///   batch_normalization     3        5                   2.5      5                -        -
///   layer_normalization    15 (10)  41 (21)              3        4                2        3
///   relu, tanh, sigmoid     2        3                   2        3                0        0
///   gelu                   18 (8)   26 (10)              2        3                1        1.5
///   dropout                10 (5)    5 (2)               2 + m    2 + m            m        m
///   add                     3        0.5                 3        0.5              1        0
///   max_pool, average_pool  1.2      2                   1.2      2                -        -
///   losses                  4        4                   2        3                -        -
///   attention softmax      18 (8)   16 (7)               3 + m    3 + m            -        -
///
/// m is the mask, one byte an element. In brackets: how many kernels, where not one. Plain counts are the loads and
/// stores of the plain kernels and of the fused ones (XLA, cuDNN NHWC); a merged ReLU moves nothing of its own, a
/// merged addition only the shortcut, a merged GELU its input for the backward pass (1 in the backward pass behind an
/// elementwise kernel, 2 behind a product, whose two gradients both read it). The counts of more than one kernel are of
/// the primitive operators that TensorFlow 1 runs for these layers without XLA (Composite). Throws
/// std::logic_error for other kinds.
TensorPasses elementwise_passes(LayerKind kind, bool backward, FusionRole placement, Precision precision);

/// Returns the elements that one sample's elementwise layer moves, by elementwise_passes or, where operands differ in
/// size, by their sizes: multiply (3, 5; merged 1, 3), concat, select, upsample (a copy each way; nothing under
/// fusion).
TensorPasses elementwise_elements(const Layer& layer, bool backward, FusionRole placement, Precision precision);

}  // namespace mlsim::workloads
