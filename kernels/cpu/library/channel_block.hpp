// channel_block() is how many channels lie side by side in activations that pass from kernel to kernel.
#pragma once

#include <cstdint>

namespace mlsim::kernels {

/// Returns the largest block in which oneDNN has more than reference implementations of all passes of a convolution: 16
/// with AVX-512, 8 with AVX2, and where there is neither 1, the plain layout. It goes by what oneDNN may use of the
/// processor, so that ONEDNN_MAX_CPU_ISA acts on it.
std::int64_t channel_block();

}  // namespace mlsim::kernels
