// fused_bytes() is what a compiler that merges batch normalisations into the convolutions around them leaves of their
// passes.
#pragma once

#include "core/kernel/kernel_key.hpp"

namespace mlsim::sim {

/// Counts the kernel's bytes where each normalisation is split in two and each half joins a convolution (Jung et al.,
/// Restructuring batch normalization to accelerate CNN training, arXiv:1807.01702), as XLA does on TPUs. Forward, the
/// statistics are taken as the convolution before writes its result, and the next one normalises as it reads: nothing
/// is left. A sum with a shortcut is written all the same: the result is read once, the sum written. Backward, the sums
/// read the normalisation's input as the convolution behind makes its gradient, and both gradients of the convolution
/// before read that input beside the output's gradient: three passes of five. Other kernels move what they move.
Bytes fused_bytes(const KernelWork& work);

}  // namespace mlsim::sim
