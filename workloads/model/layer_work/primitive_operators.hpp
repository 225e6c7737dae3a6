// A Composite is what TensorFlow runs without a compiler for a layer that is one formula on paper: kernels and passes.
#pragma once

#include "workloads/model/layer_work.hpp"

namespace mlsim::workloads {

/// Each primitive operator of a composite layer is a kernel that reads and writes whole tensors.
struct Composite {
  TensorPasses forward, backward;
  double kept = 0;  // tensors that the backward pass reads besides input and output
};

/// A 16-bit step runs a GELU and a layer normalisation in fp32, between a cast of their input and one of their result:
/// TensorFlow's automatic mixed precision keeps Pow and Mean and what follows them in fp32 (TensorFlow 1.15,
/// auto_mixed_precision_lists.h). Passes count fp32 elements, of which a 16-bit one is half.
constexpr TensorPasses kCasts{1.5, 1.5, 2};

/// tf.nn.dropout runs (TensorFlow 1.x, python/ops/nn_ops.py):
///   forward   uniform (0, 1), add (1, 1), floor (1, 1), divide (1, 1), multiply (2, 1)
///   backward  multiply by the floor (2, 1), divide (1, 1); the floor is kept in full
constexpr Composite kDropoutOperators{{5, 5, 5}, {3, 2, 2}, 1};

/// gelu of google-research/bert, modeling.py, is x * 0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * pow(x, 3)))):
///   forward   pow, mul, add (2, 1), mul, tanh, add, mul, mul (2, 1); the others (1, 1)
///   backward  mul (2, 1), mul (2, 1), mul, tanh_grad (2, 1), mul, mul, and for pow: mul, pow, mul (2, 1); the sum of
///             three gradients (3, 1)
/// The tanh and its half sum are kept.
constexpr Composite kGeluOperators{{10, 8, 8}, {16, 10, 10}, 2};

/// tf.contrib.layers.layer_norm takes moments, then tf.nn.batch_normalization as x * inv + (beta - mean * inv), where
/// inv is rsqrt(variance + epsilon) * gamma and as large as x (TensorFlow 1.x, python/ops/nn_impl.py, math_grad.py):
///   forward   mean (1, 0), squared_difference (1, 1), mean (1, 0), add, rsqrt (rows only), mul (0, 1), mul (2, 1),
///             mul (1, 1), sub (1, 1), add (2, 1)
///   backward  two products of mul (2, 1), (2, 1); neg (1, 1), sum (1, 0); mul and sum (2, 1), (1, 0); mul (1, 1);
///             add (2, 1); mul and sum (1, 1), (1, 0); mul and sum (1, 1), (1, 0); rsqrt_grad (rows only); tile and
///             divide (0, 1), (1, 1); sub, mul, mul (1, 1), (1, 1), (2, 1); tile and divide (0, 1), (1, 1); the sum of
///             three gradients (3, 1)
/// inv is kept.
constexpr Composite kLayerNormalizationOperators{{9, 6, 10}, {25, 16, 21}, 1};

/// Attention scores are scaled, masked, and go through softmax and dropout (google-research/bert, modeling.py,
/// attention_layer; softmax is one kernel that reads three times; its gradient is (g - sum(g * y)) * y,
/// python/ops/nn_grad.py):
///   forward   mul (1, 1), add (1, 1), softmax (3, 1), dropout (5, 5) in 5
///   backward  dropout (3, 2) in 2; mul (2, 1), sum (1, 0), sub (1, 1), mul (2, 1); mul (1, 1)
/// Softmax, the floor of the dropout and its result are kept.
constexpr Composite kScoreOperators{{10, 8, 8}, {10, 6, 7}, 3};

/// Additive scores are sum(v * tanh(key + query + bias)) over all pairs of query and key (tf.contrib.seq2seq,
/// _bahdanau_score):
///   forward   add (0, 1), add (1, 1), tanh (1, 1), mul (1, 1), sum (1, 0)
///   backward  tile (0, 1), mul (1, 1), mul and sum for v (2, 1), (1, 0), tanh_grad (2, 1), sums for query, key and
///             bias (1, 0) each
/// The tanh is kept. Reads of the queries, keys and scores themselves are counted apart.
constexpr Composite kAdditiveScoreOperators{{4, 4, 5}, {9, 4, 8}, 1};

}  // namespace mlsim::workloads
