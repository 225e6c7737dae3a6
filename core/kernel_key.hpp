// The name under which a kernel is costed, measured and replayed: what it does and on which shape.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/precision.hpp"
#include "core/units.hpp"

namespace mlsim {

enum class KernelOp {
  conv_forward,
  conv_input_gradient,
  conv_weight_gradient,  // dims: batch, c_in, h_in, w_in, c_out, kernel, stride
  dense_forward,
  dense_input_gradient,
  dense_weight_gradient,  // dims: batch, inputs, outputs
  elementwise,            // dims: elements read, elements written (normalisation, activation, addition, pooling, loss)
  optimizer,              // dims: parameters, tensors, bytes per parameter
};

const std::vector<std::string>& kernel_op_names();
std::string_view name(KernelOp op);
KernelOp parse_kernel_op(std::string_view word);  // throws InputError

/// Unused dims are 0. Two kernels with equal keys take equal time on one accelerator.
struct KernelKey {
  KernelOp op = KernelOp::elementwise;
  Precision precision = Precision::fp32;
  std::array<std::int64_t, 7> dims{};
  auto operator<=>(const KernelKey&) const = default;
};

/// "conv_forward bf16 64 3 224 224 64 7 2"; read back by parse_kernel_key, which throws InputError.
std::string to_text(const KernelKey& key);
KernelKey parse_kernel_key(std::string_view text);

/// The matrix product that a convolution or dense kernel amounts to (M x K times K x N); all 0 where there is none.
struct GemmShape {
  double m = 0, n = 0, k = 0;
  bool operator==(const GemmShape&) const = default;
};

/// What a kernel has to do, independent of any machine.
struct KernelWork {
  KernelKey key;
  Flop flop;    // 2 per multiply-accumulate, unpadded
  Bytes bytes;  // smallest traffic to and from device memory
  GemmShape gemm;
  bool fast_fp32_convolution = false;  // 3x3 or 5x5, stride 1, more than 3 input channels: Winograd/FFT apply in fp32
};

}  // namespace mlsim
