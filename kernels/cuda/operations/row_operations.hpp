// These operations have kernels that reduce rows: softmax and losses, fused and unfused.
#pragma once

#include <algorithm>
#include <optional>

#include "kernels/cuda/framework/operation.hpp"
#include "kernels/cuda/operations/pointwise.hpp"
#include "kernels/cuda/operations/row_ops.hpp"

namespace mlsim::kernels::cuda {

/// PlainSoftmax finds the largest element and the sum of exp(x - largest) of a row, plainly.
struct PlainSoftmax {
  double largest, sum;
  template <class X>
  PlainSoftmax(std::int64_t columns, const X& x) : largest(-INFINITY), sum(0) {
    for (std::int64_t i = 0; i < columns; ++i) largest = std::max(largest, x(i));
    for (std::int64_t i = 0; i < columns; ++i) sum += largest == -INFINITY ? 0 : std::exp(x(i) - largest);
  }
  double of(double x) const { return sum > 0 ? std::exp(x - largest) / sum : 0; }
};

/// Unfused the scores are scaled, the mask is added as 0 or a large negative number, and softmax follows.
template <class Executor, class T>
Operation<Executor> attention_softmax(const OperationName& name) {
  constexpr float kScale = 0.125f;  // 1 / sqrt(64), the usual channels of a head
  constexpr float kMasked = 8192;   // taken off where a key is masked; exact in all formats
  const std::int64_t rows = name.sizes[0], columns = name.sizes[1], n = indexable(rows * columns);
  const bool fused = name.fused;
  Operation<Executor> op;
  const int x = add(op, input<T>(n, -8, 8)), mask = add(op, whole_numbers(Format::byte, columns, 2));
  const int out = add(op, result<T>(n)), bias = fused ? -1 : add(op, input<T>(columns));
  op.run = [=](Executor& executor, const Pointers& p) {
    T *const y = p.get<T>(out), *const from = p.get<T>(x);
    const std::uint8_t* const kept = p.get<std::uint8_t>(mask);
    if (fused) return executor.template rows<T>(rows, columns, AttentionSoftmax<T>{{columns}, y, from, kept, kScale});
    using Kind = typename Primitive<T>::Kind;
    T* const added = p.get<T>(bias);
    executor.template flat<T>(columns, columns, CastScale<T, std::uint8_t>{added, kept, kMasked});
    executor.template flat<T>(columns, columns,
                              Primitive<T>{Kind::sum, added, added, nullptr, nullptr, 1, 0, -kMasked});
    executor.template flat<T>(n, n, Primitive<T>{Kind::sum, y, from, nullptr, nullptr, kScale});
    const auto width = static_cast<std::uint32_t>(columns);
    executor.template flat<T>(n, columns, Primitive<T>{Kind::sum, y, y, added, nullptr, 1, 1, 0, width});
    executor.template rows<T>(rows, columns, AttentionSoftmax<T>{{columns}, y, y, nullptr, 1});
  };
  op.reference = [=](Values& v) {
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto score = [&](std::int64_t i) {
        return of(v, mask)[at(0, 0, i)] != 0 ? of(v, x)[at(row, columns, i)] * double(kScale) : -INFINITY;
      };
      const PlainSoftmax softmax(columns, score);
      for (std::int64_t i = 0; i < columns; ++i) of(v, out)[at(row, columns, i)] = softmax.of(score(i));
    }
  };
  op.bytes = Bytes(double(sizeof(T)) * double((fused ? 2 : 6) * n) + double(columns));
  return op;
}

/// Computes loss and gradient of logits. Unfused it computes probabilities and loss, then the gradient from
/// probabilities and dense labels. softmax_loss_forward and _backward are these two parts.
template <class Executor, class T>
Operation<Executor> softmax_cross_entropy(const OperationName& name) {
  const std::int64_t rows = name.sizes[0], classes = name.sizes[1], n = indexable(rows * classes);
  const bool both = name.kind == "softmax_cross_entropy", backward = name.kind == "softmax_loss_backward";
  const bool fused = both && name.fused;
  Operation<Executor> op;
  const int x = add(op, input<T>(n, backward ? 0 : -4, backward ? 1 : 4));
  const int label = add(op, whole_numbers(Format::index, rows, classes));
  const int dense = fused || (!both && !backward) ? -1 : add(op, input<T>(n, 0, 1));
  const int out = add(op, result<T>(n));
  const int loss = backward ? -1 : add(op, result<float>(rows));
  op.run = [=](Executor& executor, const Pointers& p) {
    T *const y = p.get<T>(out), *const from = p.get<T>(x);
    if (!backward) {
      const SoftmaxLoss<T> forward{{classes},          y, p.get<float>(loss), from, p.get<std::int32_t>(label),
                                   fused ? 1.0f : 0.0f};
      executor.template rows<T>(rows, classes, forward);
    }
    if (!backward && (fused || !both)) return;
    const T* const probability = backward ? from : y;
    using Kind = typename Primitive<T>::Kind;
    executor.template flat<T>(n, n, Primitive<T>{Kind::sum, y, probability, p.get<T>(dense), nullptr, 1, -1});
  };
  op.reference = [=](Values& v) {
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto logit = [&](std::int64_t i) { return of(v, x)[at(row, classes, i)]; };
      const PlainSoftmax softmax(classes, logit);
      const auto chosen = static_cast<std::int64_t>(of(v, label)[at(0, 0, row)]);
      if (!backward) of(v, loss)[at(0, 0, row)] = std::log(softmax.sum) + softmax.largest - logit(chosen);
      for (std::int64_t i = 0; i < classes; ++i) {
        const double probability = backward ? logit(i) : softmax.of(logit(i));
        const double minus = dense >= 0 ? of(v, dense)[at(row, classes, i)] : fused && i == chosen ? 1 : 0;
        of(v, out)[at(row, classes, i)] = probability - minus;
      }
    }
  };
  const double element = sizeof(T), passes = backward ? 3 : fused || !both ? 2 : 5;
  op.bytes = Bytes(element * passes * double(n) + (backward ? 0 : 8.0 * double(rows)));
  return op;
}

/// Runs one step of a logistic regression by gradient descent on all rows. Unfused it runs the products, their sigmoid,
/// its error, the second product, the update.
template <class Executor, class T>
Operation<Executor> logistic_regression(const OperationName& name) {
  constexpr float kRate = 0.1f;
  const std::int64_t rows = name.sizes[0], columns = name.sizes[1], n = indexable(rows * columns);
  const bool fused = name.fused;
  const float share = 1 / static_cast<float>(rows);
  Operation<Executor> op;
  const int x = add(op, input<T>(n)), label = add(op, input<float>(rows, 0, 1));
  const int weight = add(op, result<float>(columns)), gradient = add(op, input<float>(columns));
  const int logits = fused ? -1 : add(op, input<float>(rows));
  op.run = [=](Executor& executor, const Pointers& p) {
    float *const g = p.get<float>(gradient), *const w = p.get<float>(weight), *const l = p.get<float>(label);
    const T* const from = p.get<T>(x);
    using Kind = Primitive<float>::Kind;
    executor.zero(g, static_cast<std::size_t>(columns) * sizeof(float));
    if (fused) {
      executor.template rows<T>(rows, columns, Logistic<T>{{columns}, g, nullptr, from, w, l, share});
    } else {
      float* const u = p.get<float>(logits);
      executor.template rows<T>(rows, columns, Logistic<T>{{columns}, nullptr, u, from, w, l, share});
      executor.template flat<float>(rows, rows, Primitive<float>{Kind::sigmoid, u, u});
      executor.template flat<float>(rows, rows, Primitive<float>{Kind::sum, u, u, l, nullptr, share, -share});
      executor.template rows<T>(rows, columns, WeightedRows<T>{{columns}, g, from, u});
    }
    executor.template flat<float>(columns, columns, Primitive<float>{Kind::sum, w, w, g, nullptr, 1, -kRate});
  };
  op.reference = [=](Values& v) {
    std::vector<double> sum(columns);
    for (std::int64_t row = 0; row < rows; ++row) {
      double logit = 0;
      for (std::int64_t i = 0; i < columns; ++i) logit += of(v, x)[at(row, columns, i)] * of(v, weight)[at(0, 0, i)];
      const double error = (sigmoid(logit) - of(v, label)[at(0, 0, row)]) / double(rows);
      for (std::int64_t i = 0; i < columns; ++i) sum[at(0, 0, i)] += error * of(v, x)[at(row, columns, i)];
    }
    for (std::size_t i = 0; i < sum.size(); ++i) of(v, weight)[i] -= double(kRate) * sum[i];
  };
  op.bytes = Bytes(double(sizeof(T)) * double((fused ? 1 : 2) * n) + 4.0 * double(rows + 4 * columns));
  op.flop = Flop(4.0 * double(n));
  return op;
}

/// Sums each column and its squares.
template <class Executor, class T>
Operation<Executor> channel_statistics(const OperationName& name) {
  const std::int64_t rows = name.sizes[0], columns = name.sizes[1], n = indexable(rows * columns);
  Operation<Executor> op;
  const int x = add(op, input<T>(n)), sum = add(op, result<float>(columns)), squares = add(op, result<float>(columns));
  op.run = [=](Executor& executor, const Pointers& p) {
    float *const first = p.get<float>(sum), *const second = p.get<float>(squares);
    executor.zero(first, static_cast<std::size_t>(columns) * sizeof(float));
    executor.zero(second, static_cast<std::size_t>(columns) * sizeof(float));
    executor.template rows<T>(rows, columns, ChannelSums<T>{{columns}, first, second, p.get<T>(x)});
  };
  op.reference = [=](Values& v) {
    of(v, sum).assign(columns, 0);
    of(v, squares).assign(columns, 0);
    for (std::int64_t i = 0; i < n; ++i) {
      const double value = of(v, x)[at(0, 0, i)];
      of(v, sum)[at(0, 0, i % columns)] += value;
      of(v, squares)[at(0, 0, i % columns)] += value * value;
    }
  };
  op.bytes = Bytes(double(sizeof(T)) * double(n) + 8.0 * double(columns));
  return op;
}

template <class Executor>
std::optional<Operation<Executor>> row_operation(const OperationName& name) {
  return with_element(name.precision, [&](auto element) -> std::optional<Operation<Executor>> {
    using T = typename decltype(element)::type;
    if (name.kind == "attention_softmax") return attention_softmax<Executor, T>(name);
    if (name.kind.starts_with("softmax_")) return softmax_cross_entropy<Executor, T>(name);
    if (name.kind == "channel_statistics") return channel_statistics<Executor, T>(name);
    if (name.kind == "logistic_regression") return logistic_regression<Executor, T>(name);
    return std::nullopt;
  });
}

}  // namespace mlsim::kernels::cuda
