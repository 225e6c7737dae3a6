// kernel_work() counts FLOP, bytes, matrix products and launches of a kernel by its key; nothing else counts them.
//
// FLOP are 2 per multiply-accumulate, taps on the padding included. Bytes count each input, output and weight element
// that the kernel needs, once.
#pragma once

#include <optional>

#include "core/kernel/kernel_key.hpp"

namespace mlsim::costs {

/// Windows say how those of a layer lie on its images. A key's lie as core/kernel/kernel_shape.hpp says.
struct Windows {
  std::int64_t height = 1, width = 1;  // of an image
  std::int64_t out_h = 1, out_w = 1;   // windows of an image
  std::int64_t padding_h = 0, padding_w = 0;
  std::int64_t halo = 0;          // rows of the image that a neighbour has computed
  std::int64_t halo_columns = 0;  // likewise columns
};

/// BeyondKey is what a layer knows of its kernel and a key does not say.
struct BeyondKey {
  /// A key rounds this count up: samples (of convolutions, pools, regions and LSTMs), rows (of dense products,
  /// normalisations, losses and look-ups), products (of a matmul) or heads (of an attention).
  std::optional<double> count = {};
  double biases = 0;  // elements that a convolution adds to a pixel, vectors that a dense product adds to a row
  std::optional<Windows> windows = {};
};

/// The result's `work.key` is `key`. Matrix products of one kernel are M x K times K x N:
///  dense_forward           (rows, outputs, inputs)
///  dense_input_gradient    (rows, inputs, outputs)
///  dense_weight_gradient   (inputs, outputs, rows)
///  conv_forward            (batch Ho Wo,       Cout/groups, c k k)              c: channels of a group
///  conv_input_gradient     (batch Hi Wi / s s, c,           Cout/groups k k)
///  conv_weight_gradient    (c k k,             Cout/groups, batch Ho Wo)
///  lstm_forward, backward  (batch, 4 hidden, hidden) and (batch, hidden, 4 hidden), one a step
/// (implicit-GEMM convolution, Chetlur et al., cuDNN, arXiv:1410.0759). A stride above the kernel size skips input
/// pixels; an input gradient is written whole. A depthwise convolution, one channel a group, has no matrix product: it
/// runs on vector units.
KernelWork kernel_work(const KernelKey& key, const BeyondKey& beyond = {});

/// Passes are multiples of a tensor, read and written apart.
struct TensorPasses {
  double read = 0, written = 0;
  int launches = 1;
};

/// Says how often a fused normalisation, pool or loss reads and writes its tensor: its input, a pool's larger side.
/// Sums, forward and backward: batch normalisation 2.5 and 5, layer normalisation 3 and 4, pools 1.2 and 2, losses 2
/// and 3. Throws std::logic_error for other operators.
TensorPasses tensor_passes(KernelOp op);

/// Returns an elementwise kernel on `elements`, read and written; its key rounds them. It has no FLOP worth counting
/// beside its bytes.
KernelWork elementwise_work(TensorPasses elements, Precision precision);

/// Adds to `host` what the elementwise kernel of a merged layer moves beside it. Throws std::logic_error where nothing
/// merges into the host's operator.
void merge(KernelWork& host, const KernelWork& merged);

}  // namespace mlsim::costs
