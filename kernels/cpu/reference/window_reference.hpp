// The reference convolutions and pools are computed in float64, one element at a time over plain layouts: slow and
// obviously right.
#pragma once

#include "kernels/cpu/framework/window.hpp"
#include "kernels/cpu/library/pooling.hpp"

namespace mlsim::kernels {

/// Plain operands are those of a convolution, or their gradients: (batch, channels, height, width), weights (outputs,
/// inputs of a group, height, width).
struct PlainOperands {
  const float *input, *weights, *output;
};

/// Each returns element `i` of what a pass writes.
double convolution_output(const WindowShape& shape, PlainOperands operands, std::int64_t i);
double convolution_input_gradient(const WindowShape& shape, PlainOperands operands, std::int64_t i);
double convolution_weight_gradient(const WindowShape& shape, PlainOperands operands, std::int64_t i);

double pool_output(const WindowShape& shape, PoolKind kind, const float* input, std::int64_t i);
double pool_input_gradient(const WindowShape& shape, PoolKind kind, const float* input, const float* output_gradient,
                           std::int64_t i);

}  // namespace mlsim::kernels
