// Softmax with its loss in float64, and random operands for it.
#pragma once

#include "kernels/cpu/fused/rows.hpp"

namespace mlsim::kernels {

SoftmaxLossOperands random_softmax_operands(RowShape shape);

/// The error of `gradient` where `backward`, else that of the losses: as Timed::largest_error.
double softmax_error(RowShape shape, const SoftmaxLossOperands& operands, bool backward);

}  // namespace mlsim::kernels
