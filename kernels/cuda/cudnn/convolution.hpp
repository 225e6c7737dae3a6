// timed_convolution() times convolutions by cuDNN.
#pragma once

#include <memory>

#include "kernels/cuda/cudnn/image_windows.hpp"
#include "kernels/cuda/framework/timed_launch.hpp"

namespace mlsim::kernels::cuda {

/// Runs the algorithm that the library measures to be the fastest. Throws Unavailable where it has none.
std::unique_ptr<TimedLaunch> timed_convolution(const ImageWindows& shape, Direction direction, Precision precision);

/// Computes y = relu(convolution + bias), in one call of the library or as convolution, bias and activation.
std::unique_ptr<TimedLaunch> timed_convolution_bias_relu(const ImageWindows& shape, Precision precision, bool fused);

}  // namespace mlsim::kernels::cuda
