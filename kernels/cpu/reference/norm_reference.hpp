// These functions compute one normalised channel of a batch in float64.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/fused/batch_norm.hpp"

namespace mlsim::kernels {

/// Returns where row `row` of channel `channel` lies.
std::int64_t blocked_index(const BlockedShape& shape, std::int64_t channel, std::int64_t row);

/// Returns relu(normalised(x) * scale + shift + residual) over the rows of a channel; `residual` may be null.
std::vector<double> norm_channel(const BatchNorm& norm, const float* x, const float* residual, bool relu,
                                 std::int64_t channel);

/// Returns dx over the rows of a channel, from the definition: the gradient of sum(gradient * y), gradients where y is
/// above 0 only. `y` is as norm_channel gives it.
std::vector<double> norm_gradient_channel(const BatchNorm& norm, const float* x, const float* gradient,
                                          const std::vector<double>& y, std::int64_t channel);

}  // namespace mlsim::kernels
