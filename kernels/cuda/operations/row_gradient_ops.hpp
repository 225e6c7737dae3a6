// These row operators are layer normalisation backward and its unfused steps.
#pragma once

#include "kernels/cuda/operations/row_ops.hpp"

namespace mlsim::kernels::cuda {

/// Computes the gradients of a layer normalisation from x, the output's gradient and the stored statistics. With n
/// channels and h = (x - mean) inverse, g = gradient gamma: dx = inverse (g - (sum g + h sum(g h)) / n), dgamma = sum
/// over rows of gradient h, dbeta of gradient (Ba et al., arXiv:1607.06450).
template <class T>
struct LayerNormGradient : DenseRows {
  static constexpr bool kCarries = true;
  using Total = TwoSums;
  template <int W>
  struct Held {
    Lanes<W> h, gradient;
  };
  template <int W>
  struct Carry {
    Lanes<W> gamma, beta;
  };
  T* dx;
  float *dgamma, *dbeta;
  const T *x, *gradient;
  const float *gamma, *statistics;

  template <int W>
  MLSIM_HD Held<W> load(std::int64_t row, std::int64_t index) const {
    const std::int64_t first = row * columns + index;
    Held<W> held{read<W>(x, first), read<W>(gradient, first)};
    const float mean = statistics[2 * row], inverse = statistics[2 * row + 1];
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) held.h[i] = (held.h[i] - mean) * inverse;
    return held;
  }
  template <int W>
  MLSIM_HD void add(Total& sum, const Held<W>& held, std::int64_t, std::int64_t index) const {
    const Lanes<W> g = read<W>(gamma, index);
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) {
      sum.first += held.gradient[i] * g[i];
      sum.second += held.gradient[i] * g[i] * held.h[i];
    }
  }
  MLSIM_HD void total(std::int64_t, const Total&) const {}
  template <int W>
  MLSIM_HD void finish(std::int64_t row, std::int64_t index, const Held<W>& held, const Total& sum,
                       Carry<W>& carry) const {
    const float inverse = statistics[2 * row + 1], share = 1 / static_cast<float>(columns);
    const Lanes<W> g = read<W>(gamma, index);
    Lanes<W> result;
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) {
      result[i] = inverse * (held.gradient[i] * g[i] - (sum.first + held.h[i] * sum.second) * share);
      carry.gamma[i] += held.gradient[i] * held.h[i];
      carry.beta[i] += held.gradient[i];
    }
    write<W>(dx, row * columns + index, result);
  }
  template <int W>
  MLSIM_HD void flush(std::int64_t index, const Carry<W>& carry) const {
    add_to<W>(dgamma, index, carry.gamma);
    add_to<W>(dbeta, index, carry.beta);
  }
};

}  // namespace mlsim::kernels::cuda
