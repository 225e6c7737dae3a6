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
#include "core/words.hpp"

namespace mlsim {

/// What a kernel does. Dims by operator; one that stands at 0 has the value in brackets.
///   conv_*       batch, c_in, h_in, w_in, c_out, kernel height, stride height, kernel width (as height),
///                stride width (as height), groups (1), elements that merged layers move beside (0)
///   dense_*      rows, inputs, outputs, equal products (1), elements that merged layers move beside (0)
///   matmul       m, n, k, equal products (1), elements moved beside (0)
///   lstm_*       batch, hidden, steps: the recurrent half of one direction, cell included
///   gather       rows read, elements of a row, rows of the table
///   scatter_add  rows added to, elements of a row, rows of the table (0: the rows alone are the result)
///   roi_align_*  batch, bins of all regions of a sample, channels, positions of the feature map
///   batch_norm_* rows (batch x positions), channels, elements that merged layers move beside (0)
///   layer_norm_* rows, channels, elements that merged layers move beside (0)
///   max_pool_*, average_pool_*  batch, channels, h_in, w_in, kernel height, stride height, kernel width (as height),
///                stride width (as height), elements that merged layers move beside (0)
///   softmax_loss_*  rows, classes
///   sigmoid_loss_*  elements
///   elementwise  elements read, elements written, launches (1): whatever has no name of its own below
///   optimizer    parameters, tensors, bytes per parameter, launches (1)
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
};

const Words<KernelOp>& words(KernelOp);

/// Unused dims are 0. Two kernels with equal keys take equal time on one accelerator.
struct KernelKey {
  KernelOp op = KernelOp::elementwise;
  Precision precision = Precision::fp32;
  std::array<std::int64_t, 11> dims{};
  auto operator<=>(const KernelKey&) const = default;
};

/// "conv_forward bf16 64 3 224 224 64 7 2"; read back by parse_kernel_key, which throws InputError.
std::string to_text(const KernelKey& key);
KernelKey parse_kernel_key(std::string_view text);

/// One of the equal matrix products that a kernel amounts to (M x K times K x N); all 0 where there is none.
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
  double products = 1;  // how many of `gemm`: batch x heads of an attention, groups, experts, steps of an LSTM
  int launches = 1;     // kernels that the host starts for it, one after the other
  bool fast_fp32_convolution = false;  // 3x3 or 5x5, stride 1, more than 3 input channels: Winograd/FFT apply in fp32
};

}  // namespace mlsim
