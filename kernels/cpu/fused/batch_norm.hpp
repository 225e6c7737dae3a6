// A `BatchNorm` normalises blocked activations, with the activation and the residual sum in the same passes over
// memory.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/framework/buffer.hpp"

namespace mlsim::kernels {

/// Activations as (batch, ceil(channels / block), positions, block), padded with zeros; `block` divides kLanes.
/// library/channel_block.hpp has that of this processor.
struct BlockedShape {
  std::int64_t batch = 1, channels = 1, positions = 1, block = 1;
  std::int64_t blocks() const { return (channels + block - 1) / block; }
  std::int64_t padded_channels() const { return blocks() * block; }
  std::int64_t panels() const { return batch * blocks(); }
  std::int64_t panel() const { return positions * block; }
  std::int64_t elements() const { return batch * padded_channels() * positions; }
  std::int64_t rows() const { return batch * positions; }
};

/// Gradient = (gradient + second) where the ReLU was open. Pointers to whole activations; those that may be null are
/// set to it.
struct NormGradient {
  const float* x = nullptr;         // what forward read
  const float* gradient = nullptr;  // the gradient by what forward wrote
  const float* second = nullptr;    // may be null: a second gradient, from the other reader of the result
  const float* output = nullptr;    // may be null: what forward wrote; needed where a residual was added under a ReLU
  float* gated = nullptr;           // may be null: the sum behind the ReLU, which is the residual's gradient
  float* dx = nullptr;
  bool relu = true;
};

/// Training mode: statistics of the batch, scale and shift for each channel. Forward reads x twice and writes once;
/// backward reads x and the gradient twice and writes once.
class BatchNorm {
 public:
  BatchNorm(BlockedShape shape, int threads);

  /// y = relu(normalised(x) + residual); `residual` may be null. Keeps the statistics for backward.
  void forward(const float* x, const float* residual, bool relu, float* y);
  /// Also writes scale_gradient and shift_gradient.
  void backward(const NormGradient& gradient);

  const BlockedShape& shape() const { return shape_; }
  Buffer scale, shift, scale_gradient, shift_gradient;  // padded channels each
  Buffer mean, inverse_deviation;

 private:
  void finish_sums(std::vector<double>& first, std::vector<double>& second) const;
  void set_affine(std::vector<float>& factor, std::vector<float>& offset) const;

  BlockedShape shape_;
  int threads_;
  std::vector<std::vector<double>> first_, second_;  // by rank, of the lanes of all blocks
};

}  // namespace mlsim::kernels
