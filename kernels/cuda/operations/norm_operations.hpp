// These are operations of layer normalisation, and row operators of its backward pass and its unfused steps: forward,
// backward, and fused with dropout and a residual.
#pragma once

#include <optional>

#include "kernels/cuda/framework/operation.hpp"
#include "kernels/cuda/operations/pointwise.hpp"
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

/// PlainMoments are mean and inverse deviation of a row, in two plain passes.
struct PlainMoments {
  double mean = 0, inverse = 0;
  PlainMoments(const std::vector<double>& x, std::int64_t row, std::int64_t columns) {
    for (std::int64_t i = 0; i < columns; ++i) mean += x[at(row, columns, i)] / double(columns);
    double square = 0;
    for (std::int64_t i = 0; i < columns; ++i) square += std::pow(x[at(row, columns, i)] - mean, 2) / double(columns);
    inverse = 1 / std::sqrt(square + double(kEpsilon));
  }
};

/// The operation is layer_norm_forward, or with dropout and residual in front: dropout_add_layer_norm, whose unfused
/// twin runs dropout (with a stored mask), addition and normalisation as three kernels. The sizes are rows, channels,
/// elements read beside (the residual of a forward key that other layers merged into).
template <class Executor, class T>
Operation<Executor> layer_norm(const OperationName& name) {
  constexpr float kKeep = 0.9f;  // BERT's dropout of 0.1
  constexpr std::uint32_t kSeed = 1;
  const std::int64_t rows = name.sizes[0], columns = name.sizes[1], n = indexable(rows * columns);
  const bool dropout = name.kind == "dropout_add_layer_norm", fused = name.fused;
  const bool adds = dropout || (name.sizes.size() > 2 && name.sizes[2] >= n);
  Operation<Executor> op;
  const int x = add(op, input<T>(n)), gamma = add(op, input<float>(columns)), beta = add(op, input<float>(columns));
  const int out = add(op, result<T>(n)), statistics = add(op, input<float>(2 * rows));
  const int residual = adds ? add(op, input<T>(n)) : -1, sum = adds ? add(op, result<T>(n)) : -1;
  const int mask = fused ? -1 : add(op, whole_numbers(Format::byte, n, 2));
  op.run = [=](Executor& executor, const Pointers& p) {
    LayerNorm<T> norm{{columns},
                      p.get<T>(out),
                      nullptr,
                      p.get<float>(statistics),
                      p.get<T>(x),
                      nullptr,
                      p.get<float>(gamma),
                      p.get<float>(beta),
                      1,
                      kSeed};
    if (adds && fused) {
      norm.residual = p.get<T>(residual), norm.sum_out = p.get<T>(sum), norm.keep = dropout ? kKeep : 1;
    } else if (adds) {
      T* const z = p.get<T>(sum);
      executor.template flat<T>(n, n, Dropout<T>{z, p.get<std::uint8_t>(mask), p.get<T>(x), kKeep, kSeed});
      executor.template flat<T>(n, n, Primitive<T>{Primitive<T>::Kind::sum, z, z, p.get<T>(residual)});
      norm.x = z;
    }
    executor.template rows<T>(rows, columns, norm);
  };
  op.reference = [=](Values& v) {
    std::vector<double> z = of(v, x);
    for (std::int64_t i = 0; i < n && adds; ++i) {
      const auto e = static_cast<std::size_t>(i);
      if (dropout) z[e] = uniform(random_bits(kSeed, i)) < kKeep ? z[e] / double(kKeep) : 0;
      z[e] += of(v, residual)[e];
    }
    for (std::int64_t row = 0; row < rows; ++row) {
      const PlainMoments moments(z, row, columns);
      for (std::int64_t i = 0; i < columns; ++i) {
        const double h = (z[at(row, columns, i)] - moments.mean) * moments.inverse;
        of(v, out)[at(row, columns, i)] = h * of(v, gamma)[at(0, 0, i)] + of(v, beta)[at(0, 0, i)];
      }
    }
    if (adds) of(v, sum) = z;
  };
  const double element = sizeof(T), passes = !adds ? 2 : fused ? 4 : 7;
  op.bytes = Bytes(element * passes * double(n) + (fused ? 0.0 : double(n)) + 8.0 * double(rows + columns));
  return op;
}

template <class Executor, class T>
Operation<Executor> layer_norm_backward(const OperationName& name) {
  const std::int64_t rows = name.sizes[0], columns = name.sizes[1], n = indexable(rows * columns);
  Operation<Executor> op;
  const int x = add(op, input<T>(n)), gradient = add(op, input<T>(n)), gamma = add(op, input<float>(columns));
  const int statistics = add(op, input<float>(2 * rows)), dx = add(op, result<T>(n));
  const int dgamma = add(op, result<float>(columns)), dbeta = add(op, result<float>(columns));
  op.run = [=](Executor& executor, const Pointers& p) {
    float *const dg = p.get<float>(dgamma), *const db = p.get<float>(dbeta);
    executor.zero(dg, static_cast<std::size_t>(columns) * sizeof(float));
    executor.zero(db, static_cast<std::size_t>(columns) * sizeof(float));
    const LayerNormGradient<T> op_gradient{{columns},
                                           p.get<T>(dx),
                                           dg,
                                           db,
                                           p.get<T>(x),
                                           p.get<T>(gradient),
                                           p.get<float>(gamma),
                                           p.get<float>(statistics)};
    executor.template rows<T>(rows, columns, op_gradient);
  };
  op.reference = [=](Values& v) {
    of(v, dgamma).assign(columns, 0);
    of(v, dbeta).assign(columns, 0);
    for (std::int64_t row = 0; row < rows; ++row) {
      const double mean = of(v, statistics)[at(row, 2, 0)], inverse = of(v, statistics)[at(row, 2, 1)];
      double first = 0, second = 0;
      const auto h = [&](std::int64_t i) { return (of(v, x)[at(row, columns, i)] - mean) * inverse; };
      const auto d = [&](std::int64_t i) { return of(v, gradient)[at(row, columns, i)]; };
      const auto g = [&](std::int64_t i) { return d(i) * of(v, gamma)[at(0, 0, i)]; };
      for (std::int64_t i = 0; i < columns; ++i) first += g(i), second += g(i) * h(i);
      for (std::int64_t i = 0; i < columns; ++i) {
        of(v, dx)[at(row, columns, i)] = inverse * (g(i) - (first + h(i) * second) / double(columns));
        of(v, dgamma)[at(0, 0, i)] += d(i) * h(i);
        of(v, dbeta)[at(0, 0, i)] += d(i);
      }
    }
  };
  op.bytes = Bytes(3.0 * double(sizeof(T)) * double(n) + 4.0 * double(2 * rows + 3 * columns));
  return op;
}

template <class Executor>
std::optional<Operation<Executor>> norm_operation(const OperationName& name) {
  return with_element(name.precision, [&](auto element) -> std::optional<Operation<Executor>> {
    using T = typename decltype(element)::type;
    if (name.kind == "layer_norm_forward" || name.kind == "dropout_add_layer_norm") {
      return layer_norm<Executor, T>(name);
    }
    if (name.kind == "layer_norm_backward") return layer_norm_backward<Executor, T>(name);
    return std::nullopt;
  });
}

}  // namespace mlsim::kernels::cuda
