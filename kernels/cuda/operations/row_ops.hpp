// These row operators are softmax, losses, layer normalisation forward, and the logistic regression's step.
#pragma once

#include "kernels/cuda/framework/atomic_sum.hpp"
#include "kernels/cuda/framework/philox.hpp"
#include "kernels/cuda/framework/row_thread.hpp"
#include "kernels/cuda/framework/row_totals.hpp"
#include "kernels/cuda/operations/activation.hpp"

namespace mlsim::kernels::cuda {

/// Epsilon is added under the root of a variance (Ba et al., arXiv:1607.06450; the default of PyTorch and TensorFlow's
/// BERT is near).
inline constexpr float kEpsilon = 1e-5f;

/// Dense rows have equal length and lie one behind the other; nothing is carried.
struct DenseRows {
  std::int64_t columns;
  static constexpr bool kReduces = true, kCarries = false;
  template <int W>
  using Held = Lanes<W>;
  template <int W>
  using Carry = NoCarry<W>;
  MLSIM_HD RowSpan span(std::int64_t row) const { return {row * columns, columns}; }
};

/// Computes out = softmax(scale x + mask), masked where the row's key has a 0: an attention's step from scores to
/// weights. Without a mask it is a plain softmax. A row that is masked whole is 0.
template <class T>
struct AttentionSoftmax : DenseRows {
  using Total = SoftmaxTotal;
  T* out;
  const T* x;
  const std::uint8_t* mask;  // a byte a column; may be null
  float scale;

  template <int W>
  MLSIM_HD Lanes<W> load(std::int64_t row, std::int64_t index) const {
    Lanes<W> v = read<W>(x, row * columns + index), kept;
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) kept[i] = 1;
    if (mask != nullptr) kept = read<W>(mask, index);
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) v[i] = kept[i] != 0 ? v[i] * scale : -INFINITY;
    return v;
  }
  template <int W>
  MLSIM_HD void add(Total& sum, const Lanes<W>& v, std::int64_t, std::int64_t) const {
    sum.add(v);
  }
  MLSIM_HD void total(std::int64_t, const Total&) const {}
  template <int W>
  MLSIM_HD void finish(std::int64_t row, std::int64_t index, Lanes<W> v, const Total& sum, NoCarry<W>&) const {
    const float factor = sum.sum > 0 ? 1 / sum.sum : 0;
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) v[i] = factor > 0 ? std::exp(v[i] - sum.largest) * factor : 0;
    write<W>(out, row * columns + index, v);
  }
};

/// Computes softmax and cross entropy: the loss of each row and either the probabilities or, where `gradient_factor` is
/// not 0, (probability - label) * gradient_factor.
template <class T>
struct SoftmaxLoss : DenseRows {
  using Total = SoftmaxTotal;
  T* out;
  float* loss;
  const T* x;
  const std::int32_t* label;
  float gradient_factor;

  template <int W>
  MLSIM_HD Lanes<W> load(std::int64_t row, std::int64_t index) const {
    return read<W>(x, row * columns + index);
  }
  template <int W>
  MLSIM_HD void add(Total& sum, const Lanes<W>& v, std::int64_t, std::int64_t) const {
    sum.add(v);
  }
  MLSIM_HD void total(std::int64_t row, const Total& sum) const {
    loss[row] = std::log(sum.sum) + sum.largest - to_float(x[row * columns + label[row]]);
  }
  template <int W>
  MLSIM_HD void finish(std::int64_t row, std::int64_t index, Lanes<W> v, const Total& sum, NoCarry<W>&) const {
    const float factor = 1 / sum.sum;
    const std::int64_t chosen = gradient_factor != 0 ? label[row] - index : -1;
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) {
      v[i] = std::exp(v[i] - sum.largest) * factor;
      if (gradient_factor != 0) v[i] = (v[i] - (chosen == i ? 1.0f : 0.0f)) * gradient_factor;
    }
    write<W>(out, row * columns + index, v);
  }
};

/// Computes out = layer_norm(x), or of residual + dropout(x) with that sum stored; the dropout's mask is not stored,
/// the backward pass finds it again by the counter. Mean and inverse deviation of each row are stored.
template <class T>
struct LayerNorm : DenseRows {
  using Total = MomentsTotal;
  T* out;
  T* sum_out;  // null without residual
  float* statistics;
  const T *x, *residual;
  const float *gamma, *beta;
  float keep;  // 1: no dropout
  std::uint32_t seed;

  template <int W>
  MLSIM_HD Lanes<W> load(std::int64_t row, std::int64_t index) const {
    const std::int64_t first = row * columns + index;
    Lanes<W> v = read<W>(x, first);
    if (keep < 1) {
      const Lanes<W> chance = uniforms<W>(seed, first);
      MLSIM_UNROLL
      for (int i = 0; i < W; ++i) v[i] = chance[i] < keep ? v[i] / keep : 0;
    }
    if (residual != nullptr) {
      const Lanes<W> r = read<W>(residual, first);
      MLSIM_UNROLL
      for (int i = 0; i < W; ++i) v[i] += r[i];
    }
    return v;
  }
  template <int W>
  MLSIM_HD void add(Total& sum, const Lanes<W>& v, std::int64_t, std::int64_t) const {
    sum.add(v);
  }
  MLSIM_HD void total(std::int64_t row, const Total& sum) const {
    statistics[2 * row] = sum.mean;
    statistics[2 * row + 1] = sum.inverse_deviation(kEpsilon);
  }
  template <int W>
  MLSIM_HD void finish(std::int64_t row, std::int64_t index, Lanes<W> v, const Total& sum, NoCarry<W>&) const {
    const std::int64_t first = row * columns + index;
    if (sum_out != nullptr) write<W>(sum_out, first, v);
    const float inverse = sum.inverse_deviation(kEpsilon);
    const Lanes<W> g = read<W>(gamma, index), b = read<W>(beta, index);
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) v[i] = (v[i] - sum.mean) * inverse * g[i] + b[i];
    write<W>(out, first, v);
  }
};

/// Makes one pass of a logistic regression over its samples: gradient += (sigmoid(x w) - label) / rows * x. Without
/// `gradient` only the products x w go to `logits`.
template <class T>
struct Logistic : DenseRows {
  static constexpr bool kCarries = true;
  template <int W>
  using Carry = Lanes<W>;
  using Total = TwoSums;
  float *gradient, *logits;
  const T* x;
  const float *weight, *label;
  float factor;

  template <int W>
  MLSIM_HD Lanes<W> load(std::int64_t row, std::int64_t index) const {
    return read<W>(x, row * columns + index);
  }
  template <int W>
  MLSIM_HD void add(Total& sum, const Lanes<W>& v, std::int64_t, std::int64_t index) const {
    const Lanes<W> w = read<W>(weight, index);
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) sum.first += v[i] * w[i];
  }
  MLSIM_HD void total(std::int64_t row, const Total& sum) const {
    if (gradient == nullptr) logits[row] = sum.first;
  }
  template <int W>
  MLSIM_HD void finish(std::int64_t row, std::int64_t, const Lanes<W>& v, const Total& sum, Lanes<W>& carry) const {
    if (gradient == nullptr) return;
    const float error = (sigmoid(sum.first) - label[row]) * factor;
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) carry[i] += error * v[i];
  }
  template <int W>
  MLSIM_HD void flush(std::int64_t index, const Lanes<W>& carry) const {
    if (gradient != nullptr) add_to<W>(gradient, index, carry);
  }
};

/// Adds to gradient the sum over rows of weight[row] x: the second product of an unfused step.
template <class T>
struct WeightedRows : DenseRows {
  static constexpr bool kReduces = false, kCarries = true;
  template <int W>
  using Carry = Lanes<W>;
  using Total = NoTotal;
  float* gradient;
  const T* x;
  const float* weight;

  template <int W>
  MLSIM_HD Lanes<W> load(std::int64_t row, std::int64_t index) const {
    return read<W>(x, row * columns + index);
  }
  template <int W>
  MLSIM_HD void add(Total&, const Lanes<W>&, std::int64_t, std::int64_t) const {}
  MLSIM_HD void total(std::int64_t, const Total&) const {}
  template <int W>
  MLSIM_HD void finish(std::int64_t row, std::int64_t, const Lanes<W>& v, const Total&, Lanes<W>& carry) const {
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) carry[i] += weight[row] * v[i];
  }
  template <int W>
  MLSIM_HD void flush(std::int64_t index, const Lanes<W>& carry) const {
    add_to<W>(gradient, index, carry);
  }
};

/// Adds to sum the sum over rows of x, to squares that of x^2: a batch normalisation needs these of its input.
template <class T>
struct ChannelSums : DenseRows {
  static constexpr bool kReduces = false, kCarries = true;
  template <int W>
  struct Carry {
    Lanes<W> sum, squares;
  };
  using Total = NoTotal;
  float *sum, *squares;
  const T* x;

  template <int W>
  MLSIM_HD Lanes<W> load(std::int64_t row, std::int64_t index) const {
    return read<W>(x, row * columns + index);
  }
  template <int W>
  MLSIM_HD void add(Total&, const Lanes<W>&, std::int64_t, std::int64_t) const {}
  MLSIM_HD void total(std::int64_t, const Total&) const {}
  template <int W>
  MLSIM_HD void finish(std::int64_t, std::int64_t, const Lanes<W>& v, const Total&, Carry<W>& carry) const {
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) carry.sum[i] += v[i], carry.squares[i] += v[i] * v[i];
  }
  template <int W>
  MLSIM_HD void flush(std::int64_t index, const Carry<W>& carry) const {
    add_to<W>(sum, index, carry.sum);
    add_to<W>(squares, index, carry.squares);
  }
};

}  // namespace mlsim::kernels::cuda
