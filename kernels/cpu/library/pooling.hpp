// A `Pool` is one pass of a pool by oneDNN.
#pragma once

#include <memory>
#include <string>

#include "kernels/cpu/framework/window.hpp"

namespace mlsim::kernels {

enum class PoolKind { max, average };

/// Activations lie as BlockedShape (fused/batch_norm.hpp) has them, in blocks of channel_block(). The average leaves
/// padding out. The largest elements' places are kept by forward for backward.
class Pool {
 public:
  /// Throws Unavailable where oneDNN has no such pool.
  Pool(const WindowShape& shape, PoolKind kind, int threads);
  ~Pool();
  Pool(Pool&&) noexcept;

  /// Returns oneDNN's names of what runs: "jit:avx2", "simple_nchw:any", "ref:any".
  const std::string& forward_implementation() const;
  const std::string& backward_implementation() const;
  std::int64_t input_elements() const;
  std::int64_t output_elements() const;
  void forward(const float* input, float* output);
  void backward(const float* output_gradient, float* input_gradient);

  /// These move an operand from and to (batch, channels, height, width).
  void input_from_plain(const float* plain, float* data) const;
  void input_to_plain(const float* data, float* plain) const;
  void output_from_plain(const float* plain, float* data) const;
  void output_to_plain(const float* data, float* plain) const;

 private:
  struct Primitives;
  std::unique_ptr<Primitives> primitives_;
};

}  // namespace mlsim::kernels
