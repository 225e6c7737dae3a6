// softmax_error() checks softmax with its loss in float64, on random operands.
#pragma once

#include "kernels/cpu/fused/rows.hpp"

namespace mlsim::kernels {

SoftmaxLossOperands random_softmax_operands(RowShape shape);

/// Returns the error of `gradient` where `backward`, else that of the losses, as Timed::largest_error does.
double softmax_error(RowShape shape, const SoftmaxLossOperands& operands, bool backward);

}  // namespace mlsim::kernels
