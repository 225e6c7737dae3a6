// These operations have flat kernels, fused and unfused.
#pragma once

#include <algorithm>
#include <optional>

#include "kernels/cuda/framework/operation.hpp"
#include "kernels/cuda/operations/pointwise.hpp"

namespace mlsim::kernels::cuda {

template <class Executor, class T>
Operation<Executor> bias_activation(const OperationName& name) {
  const std::int64_t rows = name.sizes[0], columns = name.sizes[1], n = indexable(rows * columns);
  const bool is_gelu = name.kind == "bias_gelu", fused = name.fused;
  Operation<Executor> op;
  const int x = add(op, input<T>(n)), bias = add(op, input<T>(columns)), out = add(op, result<T>(n));
  op.run = [=](Executor& executor, const Pointers& p) {
    const auto width = static_cast<std::uint32_t>(columns);
    T* const y = p.get<T>(out);
    if (fused && is_gelu) {
      executor.template flat<T>(n, columns, BiasActivation<T, true>{y, p.get<T>(x), p.get<T>(bias), width});
    } else if (fused) {
      executor.template flat<T>(n, columns, BiasActivation<T, false>{y, p.get<T>(x), p.get<T>(bias), width});
    } else {
      using Kind = typename Primitive<T>::Kind;
      executor.template flat<T>(n, columns,
                                Primitive<T>{Kind::sum, y, p.get<T>(x), p.get<T>(bias), nullptr, 1, 1, 0, width});
      executor.template flat<T>(n, n, Primitive<T>{is_gelu ? Kind::gelu : Kind::relu, y, y});
    }
  };
  op.reference = [=](Values& v) {
    for (std::int64_t i = 0; i < n; ++i) {
      const double sum = of(v, x)[at(0, 0, i)] + of(v, bias)[at(0, 0, i % columns)];
      of(v, out)[at(0, 0, i)] = is_gelu ? gelu(sum) : relu(sum);
    }
  };
  op.bytes = Bytes(double(sizeof(T)) * double((fused ? 2 : 4) * n + columns));
  return op;
}

/// Unfused it computes x^3, x + 0.0447 x^3, its scaled tanh, 1 + that, half of x times that.
template <class Executor, class T>
Operation<Executor> gelu_operation(const OperationName& name) {
  const std::int64_t n = indexable(name.sizes[0]);
  const bool fused = name.fused;
  Operation<Executor> op;
  const int x = add(op, input<T>(n)), out = add(op, result<T>(n)), part = fused ? -1 : add(op, input<T>(n));
  op.run = [=](Executor& executor, const Pointers& p) {
    using Kind = typename Primitive<T>::Kind;
    T *const y = p.get<T>(out), *const from = p.get<T>(x);
    if (fused) return executor.template flat<T>(n, n, Primitive<T>{Kind::gelu, y, from});
    T* const u = p.get<T>(part);
    const auto step = [&](const Primitive<T>& each) { executor.template flat<T>(n, n, each); };
    step({Kind::cube, u, from});
    step({Kind::sum, u, from, u, nullptr, float(kGeluScale), float(kGeluScale * kGeluCubic)});
    step({Kind::tanh, u, u});
    step({Kind::sum, u, u, nullptr, nullptr, 0.5f, 0, 0.5f});
    step({Kind::product, y, from, u});
  };
  op.reference = [=](Values& v) {
    for (std::size_t i = 0; i < of(v, x).size(); ++i) of(v, out)[i] = gelu(of(v, x)[i]);
  };
  op.bytes = Bytes(double(sizeof(T)) * double((fused ? 2 : 12) * n));
  return op;
}

template <class Executor, class T>
Operation<Executor> norm_relu_add(const OperationName& name) {
  const std::int64_t rows = name.sizes[0], columns = name.sizes[1], n = indexable(rows * columns);
  const bool fused = name.fused;
  Operation<Executor> op;
  const int x = add(op, input<T>(n)), scale = add(op, input<T>(columns)), shift = add(op, input<T>(columns));
  const int residual = add(op, input<T>(n)), out = add(op, result<T>(n));
  op.run = [=](Executor& executor, const Pointers& p) {
    const auto width = static_cast<std::uint32_t>(columns);
    T* const y = p.get<T>(out);
    const T *from = p.get<T>(x), *s = p.get<T>(scale), *t = p.get<T>(shift), *r = p.get<T>(residual);
    if (fused) return executor.template flat<T>(n, columns, NormReluAdd<T>{y, from, s, t, r, width});
    using Kind = typename Primitive<T>::Kind;
    executor.template flat<T>(n, columns, Primitive<T>{Kind::scale_shift, y, from, s, t, 1, 1, 0, width});
    executor.template flat<T>(n, n, Primitive<T>{Kind::sum, y, y, r});
    executor.template flat<T>(n, n, Primitive<T>{Kind::relu, y, y});
  };
  op.reference = [=](Values& v) {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto e = static_cast<std::size_t>(i), c = static_cast<std::size_t>(i % columns);
      of(v, out)[e] = relu(of(v, x)[e] * of(v, scale)[c] + of(v, shift)[c] + of(v, residual)[e]);
    }
  };
  op.bytes = Bytes(double(sizeof(T)) * double((fused ? 3 : 7) * n + 2 * columns));
  return op;
}

/// Computes the gradient of a ReLU's input from that of its output.
template <class Executor, class T>
Operation<Executor> relu_gradient(const OperationName& name) {
  const std::int64_t n = indexable(name.sizes[0]);
  Operation<Executor> op;
  const int gradient = add(op, input<T>(n)), x = add(op, input<T>(n)), out = add(op, result<T>(n));
  op.run = [=](Executor& executor, const Pointers& p) {
    const auto kind = Primitive<T>::Kind::relu_gradient;
    executor.template flat<T>(n, n, Primitive<T>{kind, p.get<T>(out), p.get<T>(gradient), p.get<T>(x)});
  };
  op.reference = [=](Values& v) {
    for (std::size_t i = 0; i < of(v, x).size(); ++i) of(v, out)[i] = of(v, x)[i] > 0 ? of(v, gradient)[i] : 0;
  };
  op.bytes = Bytes(3.0 * double(sizeof(T)) * double(n));
  return op;
}

/// Multiplies fp32 by a factor, in the precision of the step: the loss scale of mixed precision (Micikevicius et al.,
/// arXiv:1710.03740). Unfused it is scaled in fp32, then cast.
template <class Executor, class T>
Operation<Executor> cast_scale(const OperationName& name) {
  constexpr float kFactor = 1.0f / 1024;  // a usual loss scale, undone
  const std::int64_t n = indexable(name.sizes[0]);
  const bool fused = name.fused;
  Operation<Executor> op;
  const int x = add(op, input<float>(n)), out = add(op, result<T>(n)), part = fused ? -1 : add(op, input<float>(n));
  op.run = [=](Executor& executor, const Pointers& p) {
    float* const from = p.get<float>(x);
    if (fused) return executor.template flat<T>(n, n, CastScale<T, float>{p.get<T>(out), from, kFactor});
    float* const u = p.get<float>(part);
    executor.template flat<float>(n, n,
                                  Primitive<float>{Primitive<float>::Kind::sum, u, from, nullptr, nullptr, kFactor});
    executor.template flat<T>(n, n, CastScale<T, float>{p.get<T>(out), u, 1});
  };
  op.reference = [=](Values& v) {
    for (std::size_t i = 0; i < of(v, x).size(); ++i) of(v, out)[i] = of(v, x)[i] * double(kFactor);
  };
  op.bytes = Bytes(double(n) * double(fused ? 4 + sizeof(T) : 12 + sizeof(T)));
  return op;
}

/// The sizes are elements read, elements written, launches.
template <class Executor, class T>
Operation<Executor> stream(const OperationName& name) {
  constexpr std::int64_t kUnit = 8;  // elements of the widest vector, so that every launch begins at one
  const std::int64_t launches = std::max<std::int64_t>(1, name.sizes[2]);
  const std::int64_t reads = name.sizes[0] / launches, writes = name.sizes[1] / launches;
  const auto whole = [](std::int64_t value) { return (value + kUnit - 1) / kUnit * kUnit; };
  const std::int64_t least = reads == 0 || writes == 0 ? std::max(reads, writes) : std::min(reads, writes);
  const std::int64_t stride = std::max(kUnit, whole(least));
  Operation<Executor> op;
  const int in = add(op, input<T>(std::max<std::int64_t>(1, whole(reads) * launches)));
  const int out = add(op, result<T>(std::max<std::int64_t>(1, whole(writes) * launches)));
  op.run = [=](Executor& executor, const Pointers& p) {
    for (std::int64_t i = 0; i < launches; ++i) {
      const ElementStream<T> one{p.get<T>(out) + i * whole(writes), p.get<T>(in) + i * whole(reads), reads, writes,
                                 stride};
      executor.template flat<T>(stride, stride, one);
    }
  };
  op.reference = [=](Values& v) {
    for (std::int64_t launch = 0; launch < launches; ++launch) {
      for (std::int64_t first = 0; first < stride; ++first) {
        double sum = 0;
        for (std::int64_t i = first; i < reads; i += stride) sum += of(v, in)[at(launch, whole(reads), i)];
        for (std::int64_t i = first; i < writes; i += stride) of(v, out)[at(launch, whole(writes), i)] = sum;
      }
    }
  };
  op.bytes = Bytes(double(sizeof(T)) * double((reads + writes) * launches));
  return op;
}

template <class Executor, class T>
Operation<Executor> sigmoid_loss_operation(const OperationName& name) {
  const std::int64_t n = indexable(name.sizes[0]);
  const bool backward = name.kind == "sigmoid_loss_backward";
  constexpr float kFactor = 1;  // the mean's 1 / n would be below what 16 bits hold
  Operation<Executor> op;
  const int x = add(op, input<T>(n));
  const int label = add(op, backward ? input<T>(n, 0, 1) : whole_numbers(Format::byte, n, 2));
  const int out = add(op, result<T>(n));
  op.run = [=](Executor& executor, const Pointers& p) {
    if (backward) {
      const SigmoidLossGradient<T> gradient{p.get<T>(out), p.get<T>(x), p.get<T>(label), kFactor};
      return executor.template flat<T>(n, n, gradient);
    }
    executor.template flat<T>(n, n, SigmoidLoss<T>{p.get<T>(out), p.get<T>(x), p.get<std::uint8_t>(label)});
  };
  op.reference = [=](Values& v) {
    for (std::size_t i = 0; i < of(v, x).size(); ++i) {
      const double u = of(v, x)[i], l = of(v, label)[i];
      of(v, out)[i] = backward ? sigmoid(u) - l : sigmoid_loss(u, l);
    }
  };
  op.bytes = Bytes(double(n) * double(backward ? 3 * sizeof(T) : 2 * sizeof(T) + 1));
  return op;
}

/// Returns the operation of a name; none where the name is of another family.
template <class Executor>
std::optional<Operation<Executor>> pointwise_operation(const OperationName& name) {
  return with_element(name.precision, [&](auto element) -> std::optional<Operation<Executor>> {
    using T = typename decltype(element)::type;
    if (name.kind == "bias_relu" || name.kind == "bias_gelu") return bias_activation<Executor, T>(name);
    if (name.kind == "gelu") return gelu_operation<Executor, T>(name);
    if (name.kind == "norm_relu_add") return norm_relu_add<Executor, T>(name);
    if (name.kind == "relu_gradient") return relu_gradient<Executor, T>(name);
    if (name.kind == "cast_scale") return cast_scale<Executor, T>(name);
    if (name.kind == "stream") return stream<Executor, T>(name);
    if (name.kind.starts_with("sigmoid_loss")) return sigmoid_loss_operation<Executor, T>(name);
    return std::nullopt;
  });
}

}  // namespace mlsim::kernels::cuda
