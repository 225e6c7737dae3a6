// These activation functions take one number, for kernels in fp32 and for references in float64.
#pragma once

#include <cmath>

#include "kernels/cuda/framework/host_device.hpp"

namespace mlsim::kernels::cuda {

template <class Number>
MLSIM_HD Number relu(Number x) {
  return x > Number(0) ? x : Number(0);
}

// These are sqrt(2 / pi) and the cubic term of GELU's approximation by tanh (Hendrycks and Gimpel, arXiv:1606.08415).
inline constexpr double kGeluScale = 0.7978845608028654;
inline constexpr double kGeluCubic = 0.044715;

template <class Number>
MLSIM_HD Number gelu(Number x) {
  return Number(0.5) * x * (Number(1) + std::tanh(Number(kGeluScale) * (x + Number(kGeluCubic) * x * x * x)));
}

template <class Number>
MLSIM_HD Number sigmoid(Number x) {
  return Number(1) / (Number(1) + std::exp(-x));
}

/// Returns the cross entropy of sigmoid(x) with a label of 0 or 1, without overflow.
template <class Number>
MLSIM_HD Number sigmoid_loss(Number x, Number label) {
  return relu(x) - x * label + std::log1p(std::exp(-std::abs(x)));
}

}  // namespace mlsim::kernels::cuda
