// A logistic step is a batch's loss, gradient and update of logistic regression, in one pass over its features.
#pragma once

#include "kernels/cpu/framework/buffer.hpp"
#include "kernels/cpu/fused/rows.hpp"

namespace mlsim::kernels {

/// Features are rows x columns, labels 0 or 1.
struct LogisticOperands {
  LogisticOperands(RowShape shape, std::uint64_t seed);
  Buffer features, labels, weights, gradient;
  Buffer logits, losses, logit_gradient;
};

/// Sets losses[i] = -log of the probability of the label.
void sigmoid_loss(const float* logits, const float* labels, std::int64_t count, float* losses, int threads);
/// Sets gradient = (sigmoid(logits) - labels) / count.
void sigmoid_loss_gradient(const float* logits, const float* labels, std::int64_t count, float* gradient, int threads);

/// Takes rate * gradient off the weights. A row's features are still in the cache when the gradient is added up.
void logistic_step(RowShape shape, float rate, LogisticOperands& operands);

}  // namespace mlsim::kernels
