// The references are computed in float64, one element or channel at a time: slow and obviously right.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/framework/window.hpp"
#include "kernels/cpu/fused/batch_norm.hpp"
#include "kernels/cpu/fused/rows.hpp"
#include "kernels/cpu/library/pooling.hpp"

namespace mlsim::kernels {

/// Plain operands are those of a convolution, or their gradients: (batch, channels, height, width), weights (outputs,
/// inputs of a group, height, width).
struct PlainOperands {
  const float *input, *weights, *output;
};

/// Each returns element `i` of what a pass writes, over plain layouts.
double convolution_output(const WindowShape& shape, PlainOperands operands, std::int64_t i);
double convolution_input_gradient(const WindowShape& shape, PlainOperands operands, std::int64_t i);
double convolution_weight_gradient(const WindowShape& shape, PlainOperands operands, std::int64_t i);

double pool_output(const WindowShape& shape, PoolKind kind, const float* input, std::int64_t i);
double pool_input_gradient(const WindowShape& shape, PoolKind kind, const float* input, const float* output_gradient,
                           std::int64_t i);

/// Returns where row `row` of channel `channel` lies.
std::int64_t blocked_index(const BlockedShape& shape, std::int64_t channel, std::int64_t row);

/// Returns relu(normalised(x) * scale + shift + residual) over the rows of a channel; `residual` may be null.
std::vector<double> norm_channel(const BatchNorm& norm, const float* x, const float* residual, bool relu,
                                 std::int64_t channel);

/// Returns dx over the rows of a channel, from the definition: the gradient of sum(gradient * y), gradients where y is
/// above 0 only. `y` is as norm_channel gives it.
std::vector<double> norm_gradient_channel(const BatchNorm& norm, const float* x, const float* gradient,
                                          const std::vector<double>& y, std::int64_t channel);

SoftmaxLossOperands random_softmax_operands(RowShape shape);

/// Returns the error of `gradient` where `backward`, else that of the losses, as Timed::largest_error does.
double softmax_error(RowShape shape, const SoftmaxLossOperands& operands, bool backward);

}  // namespace mlsim::kernels
