// The padded work of a matrix product is what the hardware does, in whole tiles.
#pragma once

#include "core/kernel/kernel_key.hpp"
#include "core/kernel/precision.hpp"
#include "core/units.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// A square of a matrix product with this edge works as one: TPU MXU 128 x 128, the usual block of threads on a GPU.
inline constexpr int kMatrixTile = 128;

/// Counts the FLOP of all equal matrix products of a kernel, each padded to whole tiles of 128 x 128 (K to 8 in 16 bit
/// formats and 32 otherwise), which is what the hardware works through; divided by 1.5 for a fast fp32 convolution.
/// Source: published throughput of 105 single-GPU runs is matched best by this form (docs/models.md, "kernel cost").
Flop padded_flop(const KernelWork& work, Precision precision);

}  // namespace mlsim::sim
