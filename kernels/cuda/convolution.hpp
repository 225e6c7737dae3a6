// Convolutions by cuDNN.
#pragma once

#include <memory>

#include "kernels/cuda/convolution_shape.hpp"
#include "kernels/cuda/timed_launch.hpp"

namespace mlsim::cuda {

/// By the algorithm that the library measures to be the fastest. Throws Unavailable where it has none.
std::unique_ptr<TimedLaunch> timed_convolution(const WindowShape& shape, Direction direction, Precision precision);

/// y = relu(convolution + bias), in one call of the library or as convolution, bias and activation.
std::unique_ptr<TimedLaunch> timed_convolution_bias_relu(const WindowShape& shape, Precision precision, bool fused);

}  // namespace mlsim::cuda
