// Fused convolutions on the GPU, and their twins.
#pragma once

#include <memory>

#include "kernels/cuda/cudnn/fused_convolution.hpp"
#include "kernels/cuda/framework/timed_launch.hpp"

namespace mlsim::kernels::cuda {

/// In one kernel of cuDNN's graph interface; Unavailable where it offers none, and never anything else instead. Not
/// fused: a convolution by its older calls and our operation.
std::unique_ptr<TimedLaunch> timed_fused_convolution(const FusedConvolution& convolution, Precision precision,
                                                     bool fused);

}  // namespace mlsim::kernels::cuda
