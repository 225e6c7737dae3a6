// What each pass of a layer has to do: FLOP, matrix product, device-memory bytes and the key of its kernel.
#pragma once

#include <optional>

#include "core/kernel_key.hpp"
#include "core/precision.hpp"
#include "workloads/model.hpp"

namespace mlsim {

enum class Pass { forward, input_gradient, weight_gradient };

bool is_matrix_product(LayerKind kind);  // convolution or dense; the other kinds are elementwise

/// One pass of a convolution or dense layer on `batch` samples. FLOP is 2 per multiply-accumulate, taps on the padding
/// included. The matrix product (M, N, K) is, with k the kernel and s the stride,
///   forward          (batch Ho Wo,       Cout, Cin k k)
///   input gradient   (batch Hi Wi / s s, Cin,  Cout k k)
///   weight gradient  (Cin k k,           Cout, batch Ho Wo)
/// (implicit-GEMM convolution, Chetlur et al., cuDNN, arXiv:1410.0759). Bytes: each input, output and weight element
/// that the pass needs, once; a stride above the kernel size skips input pixels.
///
/// The key rounds a fractional batch up. It has no padding: a convolution padded otherwise than by (k - 1) / 2 is
/// named by the input extents that give the same output with that padding.
KernelWork matrix_work(const Layer& layer, Pass pass, double batch, Precision precision);

/// Passes over a tensor of one elementwise kernel, in multiples of the tensor: read and written apart.
struct TensorPasses {
  double read = 0, written = 0;
  TensorPasses& operator+=(TensorPasses other);
  TensorPasses operator*(double elements) const { return {read * elements, written * elements}; }
};

/// How often an elementwise layer reads and writes its tensor (its input; a pool's larger side). `merged` is the count
/// where the compiler or library merges elementwise layers: a merged ReLU then moves nothing of its own, a merged
/// addition only the shortcut. Throws std::logic_error for a matrix product.
///
///                        forward  backward    merged: forward  backward
///   batch_normalization     3        5                 2.5        5       statistics, normalise; two sums, apply
///   relu                    2        3                 0          0
///   add                     3        0.5               1          0       gradients of both inputs are the output's
///   max_pool, average_pool  1.2      2                 1.2        2
///   softmax_loss            4        4                 2          3
///
/// Counted from the loads and stores of the plain kernels and of the fused ones (XLA, cuDNN NHWC).
TensorPasses elementwise_passes(LayerKind kind, bool backward, bool merged);

/// An elementwise kernel on `elements`, read and written. It has no FLOP worth counting beside its bytes.
KernelWork elementwise_work(TensorPasses elements, Precision precision);

/// A kernel that moves `bytes_per_parameter` for each of `parameters` parameters in `tensors` tensors, all in fp32.
KernelWork optimizer_work(std::int64_t parameters, int tensors, Bytes bytes_per_parameter);

}  // namespace mlsim
