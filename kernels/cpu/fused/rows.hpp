// These kernels take a matrix row by row: bias and activation, layer normalisation, softmax with its loss.
#pragma once

#include <cstdint>

#include "kernels/cpu/framework/buffer.hpp"

namespace mlsim::kernels {

/// A RowShape is a row-major matrix and the threads that share out its rows.
struct RowShape {
  std::int64_t rows = 1, columns = 1;
  int threads = 1;
  std::int64_t elements() const { return rows * columns; }
};

/// Sets y = max(0, x + bias) in one pass; the twin takes one pass for each of the two.
void bias_relu(RowShape shape, const float* x, const float* bias, float* y);
void bias_then_relu(RowShape shape, const float* x, const float* bias, float* y);

/// Statistics go over the columns of a row. Keeps `mean` and `inverse_deviation`, one for each row.
struct LayerNormOperands {
  Buffer x, y, gradient, dx;
  Buffer scale, shift, scale_gradient, shift_gradient;
  Buffer mean, inverse_deviation;
};
void layer_norm(RowShape shape, LayerNormOperands& operands);
/// Reads x and the gradient of y.
void layer_norm_gradient(RowShape shape, LayerNormOperands& operands);

/// The operands are the arrays of a loss of each row against the class that `labels` names.
struct SoftmaxLossOperands {
  Buffer logits, probabilities, losses, gradient;
  std::unique_ptr<std::int32_t[]> labels;
};
/// Sets probabilities = softmax(logits), losses = -log of the label's.
void softmax_loss(RowShape shape, SoftmaxLossOperands& operands);
/// Sets gradient = (probabilities - one-hot label) / rows.
void softmax_loss_gradient(RowShape shape, SoftmaxLossOperands& operands);
/// Computes loss and gradient in one pass over the logits, without probabilities between them; the twin takes largest
/// element, exponentials, sum, division, loss, gradient, each in a pass over the matrix.
void softmax_cross_entropy(RowShape shape, SoftmaxLossOperands& operands);
void softmax_cross_entropy_in_passes(RowShape shape, SoftmaxLossOperands& operands);

}  // namespace mlsim::kernels
