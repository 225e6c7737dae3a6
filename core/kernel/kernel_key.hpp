// A KernelKey is the name under which a kernel is costed, measured and replayed: what it does and on which shape.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "core/kernel/kernel_shape.hpp"
#include "core/kernel/precision.hpp"
#include "core/text/words.hpp"
#include "core/units.hpp"

namespace mlsim {

/// KernelOp says what a kernel does. A new one has a line here, one in the table of core/kernel/kernel_key.cpp with the
/// family of its shape (core/kernel/kernel_shape.hpp), and an account of its work (costs/kernel_work.hpp).
enum class KernelOp {
  conv_forward,
  conv_input_gradient,
  conv_weight_gradient,
  dense_forward,
  dense_input_gradient,
  dense_weight_gradient,
  elementwise,
  optimizer,
  matmul,
  lstm_forward,
  lstm_backward,
  gather,
  scatter_add,
  roi_align_forward,
  roi_align_backward,
  batch_norm_forward,
  batch_norm_backward,
  layer_norm_forward,
  layer_norm_backward,
  max_pool_forward,
  max_pool_backward,
  average_pool_forward,
  average_pool_backward,
  softmax_loss_forward,
  softmax_loss_backward,
  sigmoid_loss_forward,
  sigmoid_loss_backward,
  flash_attention_forward,
  flash_attention_backward,
};

const Words<KernelOp>& words(KernelOp);

/// Two kernels with equal keys take equal time on one accelerator. `shape` is of the family of `op`.
struct KernelKey {
  KernelOp op = KernelOp::elementwise;
  Precision precision = Precision::fp32;
  KernelShape shape = ElementwiseShape{};
  auto operator<=>(const KernelKey&) const = default;
};

/// Returns the key's shape, which is of family `Shape`. Throws std::bad_variant_access for another family.
template <class Shape>
const Shape& shape_of(const KernelKey& key) {
  return std::get<Shape>(key.shape);
}

/// Returns an empty shape of the operator's family.
const KernelShape& shape_family(KernelOp op);

/// Writes "conv_forward bf16 64 3 224 224 64 7 2": operator, precision and the numbers of the shape
/// (core/kernel/kernel_shape.hpp); an optimizer's text also has the update rule where it is not the usual one of its
/// bytes. parse_kernel_key reads the text back and throws InputError.
std::string to_text(const KernelKey& key);
KernelKey parse_kernel_key(std::string_view text);

/// A GemmShape is one of a kernel's equal matrix products (M x K times K x N); all 0 where there is none.
struct GemmShape {
  double m = 0, n = 0, k = 0;
  bool operator==(const GemmShape&) const = default;
};

/// KernelWork is what a kernel has to do, independent of any machine.
struct KernelWork {
  KernelKey key;
  Flop flop;    // 2 per multiply-accumulate, unpadded
  Bytes bytes;  // smallest traffic to and from device memory
  GemmShape gemm;
  double products = 1;           // how many of `gemm`: batch x heads of an attention, groups, experts, steps of an LSTM
  int launches = 1;              // kernels that the host starts for it, one after the other
  bool both_directions = false;  // an LSTM beside that of the other direction
  bool fast_fp32_convolution = false;  // 3x3 or 5x5, stride 1, more than 3 input channels: Winograd/FFT apply in fp32
};

}  // namespace mlsim
