// A fused convolution is timed on the GPU, and so is its unfused twin.
#pragma once

#include <memory>

#include "kernels/cuda/cudnn/fused_convolution.hpp"
#include "kernels/cuda/framework/device.hpp"

namespace mlsim::kernels::cuda {

/// Runs the graph in one kernel of cuDNN's graph interface; throws Unavailable where it offers none, and never runs
/// anything else instead. Where it is not `fused` it is a convolution by cuDNN's older calls and our operation.
std::unique_ptr<TimedLaunch> timed_fused_convolution(const FusedConvolution& convolution, Precision precision,
                                                     bool fused);

}  // namespace mlsim::kernels::cuda
