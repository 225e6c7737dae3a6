#include "calibrate/step/residual_network.hpp"

#include <algorithm>
#include <cmath>

namespace mlsim::calibrate {

std::int64_t ParameterStore::place(std::int64_t elements) {
  const std::int64_t at = size_;
  slices_.push_back({at, at + elements});
  size_ += (elements + kLanes - 1) / kLanes * kLanes;
  return at;
}

void ParameterStore::allocate() {
  tensors_ = std::make_unique<Tensors>(size_, 1, 1);
  tensors_->slices = slices_;
  std::fill(tensors_->weights.begin(), tensors_->weights.end(), 0.0f);
  std::fill(tensors_->first.begin(), tensors_->first.end(), 0.0f);
}

void ParameterStore::update(KernelTally& tally, int threads) {
  tally.run(KernelOp::optimizer, [&] { update_fused(UpdateRule::momentum, *tensors_, threads); });
}

ConvolutionNorm::ConvolutionNorm(const WindowShape& shape, bool trains_input, ParameterStore& parameters, int threads)
    : shape_(shape),
      forward_(shape, ConvolutionPass::forward, channel_block(), threads),
      weight_gradient_(shape, ConvolutionPass::weight_gradient, channel_block(), threads),
      norm_({shape.batch, shape.c_out, shape.h_out() * shape.w_out(), channel_block()}, threads),
      weights_(parameters.place(forward_.elements(ConvolutionOperand::weights))),
      scale_(parameters.place(shape.c_out)),
      shift_(parameters.place(shape.c_out)),
      convolved_(norm_.shape().elements()),
      output_(norm_.shape().elements()) {
  if (trains_input)
    input_gradient_ = std::make_unique<Convolution>(shape, ConvolutionPass::input_gradient, channel_block(), threads);
}

void ConvolutionNorm::initialise(ParameterStore& parameters, std::uint64_t seed) {
  const std::int64_t fan_in = shape_.c_in / shape_.groups * shape_.window.kernel_h * shape_.window.kernel_w;
  const auto bound = float(std::sqrt(6 / double(fan_in)));  // bound of the uniform distribution with that variance
  const Buffer plain = random_buffer(shape_.weight_elements(), seed, -bound, bound);
  forward_.from_plain(ConvolutionOperand::weights, plain.data(), parameters.weights(weights_));
  std::fill_n(parameters.weights(scale_), shape_.c_out, 1.0f);
}

Buffer ConvolutionNorm::input_from_plain(const Buffer& plain) const {
  Buffer input(input_elements());
  forward_.from_plain(ConvolutionOperand::input, plain.data(), input.data());
  return input;
}

void ConvolutionNorm::load_norm(ParameterStore& parameters) {
  std::copy_n(parameters.weights(scale_), shape_.c_out, norm_.scale.data());
  std::copy_n(parameters.weights(shift_), shape_.c_out, norm_.shift.data());
}

void ConvolutionNorm::store_norm_gradients(ParameterStore& parameters) const {
  std::copy_n(norm_.scale_gradient.data(), shape_.c_out, parameters.gradients(scale_));
  std::copy_n(norm_.shift_gradient.data(), shape_.c_out, parameters.gradients(shift_));
}

const float* ConvolutionNorm::forward(const float* input, const float* residual, bool relu, ParameterStore& parameters,
                                      KernelTally& tally) {
  input_ = input;
  has_residual_ = residual != nullptr;
  relu_ = relu;
  tally.run(KernelOp::conv_forward,
            [&] { forward_.run(const_cast<float*>(input), parameters.weights(weights_), convolved_.data()); });
  tally.run(KernelOp::batch_norm_forward, [&] {
    load_norm(parameters);
    norm_.forward(convolved_.data(), residual, relu, output_.data());
  });
  return output_.data();
}

void ConvolutionNorm::backward(Gradients gradients, float* gated, float* convolution_gradient, float* input_gradient,
                               ParameterStore& parameters, KernelTally& tally) {
  tally.run(KernelOp::batch_norm_backward, [&] {
    norm_.backward({.x = convolved_.data(),
                    .gradient = gradients.first,
                    .second = gradients.second,
                    .output = has_residual_ ? output_.data() : nullptr,
                    .gated = gated,
                    .dx = convolution_gradient,
                    .relu = relu_});
    store_norm_gradients(parameters);
  });
  if (input_gradient_ != nullptr) {
    tally.run(KernelOp::conv_input_gradient,
              [&] { input_gradient_->run(input_gradient, parameters.weights(weights_), convolution_gradient); });
  }
  tally.run(KernelOp::conv_weight_gradient, [&] {
    weight_gradient_.run(const_cast<float*>(input_), parameters.gradients(weights_), convolution_gradient);
  });
}

}  // namespace mlsim::calibrate
