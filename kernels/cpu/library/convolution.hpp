// A `Convolution` is one pass of a convolution by oneDNN, in the layouts it asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/cpu/framework/window.hpp"

namespace mlsim::kernels {

enum class ConvolutionPass { forward, input_gradient, weight_gradient };
enum class ConvolutionOperand { input, weights, output };

/// This stands for no block of channels: activations lie as oneDNN thinks best for the pass.
inline constexpr std::int64_t kPreferredLayout = 0;

/// Weights always lie as the forward pass of the same shape wants them: a pass that wants them otherwise changes their
/// layout in every run, as it has to where an update comes in between.
class Convolution {
 public:
  /// `block`: activations of so many channels and more lie as BlockedShape (fused/batch_norm.hpp) has them, so that
  /// fused kernels can stand between convolutions. Throws Unavailable where oneDNN has no such convolution.
  Convolution(const WindowShape& shape, ConvolutionPass pass, std::int64_t block, int threads);
  ~Convolution();
  Convolution(Convolution&&) noexcept;

  /// Returns oneDNN's name of what runs: "jit:avx2", "x64:gemm:jit", "ref:any".
  const std::string& implementation() const;
  /// Counts the elements of an operand, or of its gradient, padding included.
  std::int64_t elements(ConvolutionOperand operand) const;
  /// Reads two of the operands, or their gradients, and writes the third, by the pass.
  void run(float* input, float* weights, float* output);

  /// These move an operand from and to the plain layouts: (batch, channels, height, width) and (groups, outputs,
  /// inputs, height, width).
  void from_plain(ConvolutionOperand operand, const float* plain, float* data) const;
  void to_plain(ConvolutionOperand operand, const float* data, float* plain) const;

 private:
  struct Primitive;
  std::unique_ptr<Primitive> primitive_;
};

/// Returns the largest block in which oneDNN has more than reference implementations of all passes of a convolution: 16
/// with AVX-512, 8 with AVX2, and where there is neither 1, the plain layout. It goes by what oneDNN may use of the
/// processor, so that ONEDNN_MAX_CPU_ISA acts on it.
std::int64_t channel_block();

}  // namespace mlsim::kernels
