// These are layers of a residual network on the kernels of a processor, with memory of their own for backward.
#pragma once

#include <memory>
#include <vector>

#include "calibrate/namespace.hpp"
#include "calibrate/step/real_step.hpp"
#include "kernels/cpu/framework/buffer.hpp"
#include "kernels/cpu/fused/batch_norm.hpp"
#include "kernels/cpu/fused/update.hpp"
#include "kernels/cpu/library/convolution.hpp"

namespace mlsim::calibrate {

/// The store holds all parameters of a network side by side, so that one kernel updates them.
class ParameterStore {
 public:
  /// Returns where a tensor of so many parameters will lie; each begins at a cache line.
  std::int64_t place(std::int64_t elements);
  /// Allocates the store; comes after the last place.
  void allocate();

  float* weights(std::int64_t at) { return tensors_->weights.data() + at; }
  float* gradients(std::int64_t at) { return tensors_->gradients.data() + at; }
  void update(KernelTally& tally, int threads);

 private:
  std::vector<Tensors::Slice> slices_;
  std::int64_t size_ = 0;
  std::unique_ptr<Tensors> tensors_;
};

/// `Gradients` are a gradient, and a second one from another reader of the same activations, or null.
struct Gradients {
  const float* first = nullptr;
  const float* second = nullptr;
};

/// A `ConvolutionNorm` is a convolution without bias and the batch normalisation behind it.
class ConvolutionNorm {
 public:
  /// `trains_input` says that its input wants a gradient.
  ConvolutionNorm(const WindowShape& shape, bool trains_input, ParameterStore& parameters, int threads);

  /// Weights follow He et al., arXiv:1502.01852: normal of variance 2 / fan-in, here uniform.
  void initialise(ParameterStore& parameters, std::uint64_t seed);
  /// Returns relu(norm(convolution(input)) + residual); `residual` may be null.
  const float* forward(const float* input, const float* residual, bool relu, ParameterStore& parameters,
                       KernelTally& tally);
  /// Backward comes after forward on the same operands. `gated` takes the gradient of the residual; null where there
  /// was none. `input_gradient` may be null where the input wants none.
  void backward(Gradients gradients, float* gated, float* convolution_gradient, float* input_gradient,
                ParameterStore& parameters, KernelTally& tally);

  std::int64_t elements() const { return norm_.shape().elements(); }
  std::int64_t input_elements() const { return forward_.elements(ConvolutionOperand::input); }
  /// Brings a plain input to the layout that forward reads.
  Buffer input_from_plain(const Buffer& plain) const;

 private:
  void load_norm(ParameterStore& parameters);
  void store_norm_gradients(ParameterStore& parameters) const;

  WindowShape shape_;
  Convolution forward_, weight_gradient_;
  std::unique_ptr<Convolution> input_gradient_;
  BatchNorm norm_;
  std::int64_t weights_, scale_, shift_;  // places
  Buffer convolved_, output_;
  const float* input_ = nullptr;
  bool has_residual_ = false, relu_ = true;
};

}  // namespace mlsim::calibrate
