// These flat operators are the fused pointwise kernels, and the primitive steps of which their unfused twins are made.
#pragma once

#include "kernels/cuda/framework/philox.hpp"
#include "kernels/cuda/operations/activation.hpp"

namespace mlsim::kernels::cuda {

/// A primitive is one step as a framework runs it without fusion. y and z may be null; they have `columns` elements,
/// one a column, where that is not 0.
template <class T>
struct Primitive {
  enum class Kind {
    sum,            // a x + b y + c
    product,        // x y
    scale_shift,    // x y + z
    multiply_add,   // x + a y z
    divide_add,     // x + a y / z
    quotient,       // x / y
    relu_gradient,  // x where y > 0
    square_root,
    cube,
    relu,
    gelu,
    tanh,
    sigmoid,
  };
  Kind kind = Kind::sum;
  T* out = nullptr;
  const T* x = nullptr;
  const T* y = nullptr;
  const T* z = nullptr;
  float a = 1, b = 1, c = 0;
  std::uint32_t columns = 0;

  MLSIM_HD float value(float u, float v, float w) const {
    switch (kind) {
      case Kind::sum: return a * u + b * v + c;
      case Kind::product: return u * v;
      case Kind::scale_shift: return u * v + w;
      case Kind::multiply_add: return u + a * v * w;
      case Kind::divide_add: return u + a * v / w;
      case Kind::quotient: return u / v;
      case Kind::relu_gradient: return v > 0 ? u : 0;
      case Kind::square_root: return std::sqrt(u);
      case Kind::cube: return u * u * u;
      case Kind::relu: return cuda::relu(u);
      case Kind::gelu: return cuda::gelu(u);
      case Kind::tanh: return std::tanh(u);
      case Kind::sigmoid: return cuda::sigmoid(u);
    }
    return 0;
  }

  template <int W>
  MLSIM_HD void apply(std::int64_t first) const {
    const std::int64_t other = columns == 0 ? first : static_cast<std::uint32_t>(first) % columns;
    Lanes<W> u = read<W>(x, first), v{}, w{};
    if (y != nullptr) v = read<W>(y, other);
    if (z != nullptr) w = read<W>(z, other);
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) u[i] = value(u[i], v[i], w[i]);
    write<W>(out, first, u);
  }
};

/// Computes out = relu(x + bias) or gelu(x + bias), a bias a column.
template <class T, bool kGelu>
struct BiasActivation {
  T* out;
  const T *x, *bias;
  std::uint32_t columns;

  template <int W>
  MLSIM_HD void apply(std::int64_t first) const {
    Lanes<W> v = read<W>(x, first);
    const Lanes<W> b = read<W>(bias, static_cast<std::uint32_t>(first) % columns);
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) v[i] = kGelu ? gelu(v[i] + b[i]) : relu(v[i] + b[i]);
    write<W>(out, first, v);
  }
};

/// Computes out = relu(x scale + shift + residual): a batch normalisation's second pass with what follows it in a
/// residual block.
template <class T>
struct NormReluAdd {
  T* out;
  const T *x, *scale, *shift, *residual;
  std::uint32_t columns;

  template <int W>
  MLSIM_HD void apply(std::int64_t first) const {
    const std::int64_t column = static_cast<std::uint32_t>(first) % columns;
    Lanes<W> v = read<W>(x, first);
    const Lanes<W> s = read<W>(scale, column), t = read<W>(shift, column), r = read<W>(residual, first);
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) v[i] = relu(v[i] * s[i] + t[i] + r[i]);
    write<W>(out, first, v);
  }
};

/// Computes out = factor * x in another format: fp32 to 16 bits and back.
template <class To, class From>
struct CastScale {
  To* out;
  const From* x;
  float factor;

  template <int W>
  MLSIM_HD void apply(std::int64_t first) const {
    Lanes<W> v = read<W>(x, first);
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) v[i] *= factor;
    write<W>(out, first, v);
  }
};

/// Reads `reads` elements and writes `writes`, each once, for a kernel of which only that is known. Over
/// min(reads, writes) elements i: out[i], out[i + n], ... = sum of in[i], in[i + n], ...
template <class T>
struct ElementStream {
  T* out;
  const T* in;
  std::int64_t reads, writes;
  std::int64_t stride;  // n, rounded up to whole vectors where there is more than one round

  template <int W>
  MLSIM_HD void apply(std::int64_t first) const {
    Lanes<W> sum{};
    for (std::int64_t i = first; i < reads; i += stride) {
      if (i + W <= reads) {
        const Lanes<W> v = read<W>(in, i);
        MLSIM_UNROLL
        for (int k = 0; k < W; ++k) sum[k] += v[k];
      } else {
        for (int k = 0; k < W && i + k < reads; ++k) sum[k] += to_float(in[i + k]);
      }
    }
    for (std::int64_t i = first; i < writes; i += stride) {
      if (i + W <= writes) {
        write<W>(out, i, sum);
      } else {
        for (int k = 0; k < W && i + k < writes; ++k) out[i + k] = from_float<T>(sum[k]);
      }
    }
  }
};

template <class T>
struct SigmoidLoss {
  T* out;
  const T* x;
  const std::uint8_t* label;

  template <int W>
  MLSIM_HD void apply(std::int64_t first) const {
    Lanes<W> v = read<W>(x, first);
    const Lanes<W> l = read<W>(label, first);
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) v[i] = sigmoid_loss(v[i], l[i]);
    write<W>(out, first, v);
  }
};

template <class T>
struct SigmoidLossGradient {
  T* out;
  const T *x, *label;
  float factor;

  template <int W>
  MLSIM_HD void apply(std::int64_t first) const {
    Lanes<W> v = read<W>(x, first);
    const Lanes<W> l = read<W>(label, first);
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) v[i] = (sigmoid(v[i]) - l[i]) * factor;
    write<W>(out, first, v);
  }
};

/// Keeps an element with probability `keep` and divides it by that; the mask is stored for the backward pass.
template <class T>
struct Dropout {
  T* out;
  std::uint8_t* mask;
  const T* x;
  float keep;
  std::uint32_t seed;

  template <int W>
  MLSIM_HD void apply(std::int64_t first) const {
    Lanes<W> v = read<W>(x, first), kept = uniforms<W>(seed, first);
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) {
      kept[i] = kept[i] < keep ? 1.0f : 0.0f;
      v[i] = v[i] * kept[i] / keep;
    }
    write<W>(out, first, v);
    write<W>(mask, first, kept);
  }
};

/// Fills the inputs of an operation: each element is what input_value says, rounded to T.
template <class T>
struct RandomFill {
  T* out;
  std::uint32_t seed;
  float low, high;

  template <int W>
  MLSIM_HD void apply(std::int64_t first) const {
    Lanes<W> v = uniforms<W>(seed, first);
    MLSIM_UNROLL
    for (int i = 0; i < W; ++i) v[i] = scaled(v[i], low, high);
    write<W>(out, first, v);
  }
};

/// Fills an array with whole numbers in [0, end).
template <class Whole>
struct IndexFill {
  Whole* out;
  std::uint32_t seed;
  float end;

  template <int W>
  MLSIM_HD void apply(std::int64_t first) const {
    for (int i = 0; i < W; ++i) out[first + i] = static_cast<Whole>(random_index(seed, first + i, end));
  }
};

}  // namespace mlsim::kernels::cuda
