// These functions say what a kernel really computes and moves, and the peak at which it could.
#pragma once

#include "core/kernel/kernel_key.hpp"
#include "core/kernel/precision.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// fused_bytes() is what a compiler that merges batch normalisations into the convolutions around them leaves of their
/// passes.
/// Counts the kernel's bytes where each normalisation is split in two and each half joins a convolution (Jung et al.,
/// Restructuring batch normalization to accelerate CNN training, arXiv:1807.01702), as XLA does on TPUs. Forward, the
/// statistics are taken as the convolution before writes its result, and the next one normalises as it reads: nothing
/// is left. A sum with a shortcut is written all the same: the result is read once, the sum written. Backward, the sums
/// read the normalisation's input as the convolution behind makes its gradient, and both gradients of the convolution
/// before read that input beside the output's gradient: three passes of five. Other kernels move what they move.
Bytes fused_bytes(const KernelWork& work);

/// A square of a matrix product with this edge works as one: TPU MXU 128 x 128, the usual block of threads on a GPU.
inline constexpr int kMatrixTile = 128;

/// Counts the FLOP of all equal matrix products of a kernel, each padded to whole tiles of 128 x 128 (K to 8 in 16 bit
/// formats and 32 otherwise), which is what the hardware works through; divided by 1.5 for a fast fp32 convolution.
/// Source: published throughput of 105 single-GPU runs is matched best by this form (docs/models.md, "kernel cost").
Flop padded_flop(const KernelWork& work, Precision precision);

/// Says whether one kernel may run all steps of an LSTM with its weights on chip: cuDNN's persistent kernel, which
/// PyTorch takes in 16 bits, in one direction and up to 1024 units (aten/src/ATen/native/cudnn/RNN.cpp,
/// use_persist_common_heuristics; Diamos et al., Persistent RNNs, ICML 2016). A step's launch stays, for what all blocks
/// wait for one another between steps.
bool keeps_weights(const KernelWork& work, const AcceleratorSpec& accelerator);

/// Such a kernel is assumed to reach this of what a product reaches, so that PyTorch's other kernel is the quicker one
/// from some 64 samples on; that file takes it up to 128.
inline constexpr double kPersistentShare = 0.5;

/// Counts the bytes of such a kernel, which reads its weights once; its samples are not padded.
Bytes persistent_bytes(const KernelWork& work);

/// Counts the bytes of experts' products in a language model's step. Frameworks add gradients of weights up in fp32,
/// which reads and writes 4 bytes each where `work` counts one of the step's format (NVIDIA/Megatron-LM, gradient
/// accumulation fusion, main_grad; on TPUs XLA writes them once). Of single products, whose rows are many more,
/// direction_share() has that.
Bytes summed_bytes(const KernelWork& work, const AcceleratorSpec& accelerator);

/// Gives how many multiplications that count as work are made as one: 2.25 in a convolution of 3x3 with stride 1 in
/// fp32, where Winograd's F(2x2, 3x3) makes 16 of 36 (Lavin and Gray, arXiv:1509.09308), 2.78 in one of 5x5, where
/// F(2x2, 5x5) makes 36 of 100, and 1 in all other kernels. F(4x4, 3x3) would spare 4, and loses it to its transforms
/// and the bytes that they move.
double spared_products(const KernelWork& work, Precision precision);

/// Throws Infeasible where the accelerator does not compute in the precision, with those that it has.
FlopPerSecond matrix_peak(const AcceleratorSpec& accelerator, Precision precision);

/// Gives the rate of the fastest units that a run in the precision may have used. Runs that are called fp32 multiply in
/// tf32 where the chip has it: cuDNN's convolutions do by default, TensorFlow's and PyTorch's products did in 2020
/// (NVIDIA, Accelerating AI Training with NVIDIA TF32 Tensor Cores, 2021). Returns `peak` for all others.
FlopPerSecond fastest_peak(const AcceleratorSpec& accelerator, Precision precision, FlopPerSecond peak);

}  // namespace mlsim::sim
