// A `SeparateNorm` does batch normalisation, sum and ReLU by oneDNN, each a kernel of its own: the unfused twin of
// fused/batch_norm.hpp.
#pragma once

#include <memory>
#include <string>

#include "kernels/cpu/fused/batch_norm.hpp"

namespace mlsim::kernels {

class SeparateNorm {
 public:
  SeparateNorm(BlockedShape shape, int threads);
  ~SeparateNorm();

  /// Returns oneDNN's names of the three: "bnorm_jit:avx2, jit:uni, jit:avx2".
  const std::string& implementation() const;

  /// y = relu(normalised(x) + residual), with scale 1 and shift 0, in three kernels.
  void run(const float* x, const float* residual, float* y);

 private:
  struct Primitives;
  std::unique_ptr<Primitives> primitives_;
};

}  // namespace mlsim::kernels
