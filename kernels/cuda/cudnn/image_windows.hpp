// `ImageWindows` define convolutions and pools by element, in images of batch x height x width x channels.
#pragma once

#include <functional>

#include "core/kernel/kernel_key.hpp"
#include "kernels/cuda/framework/operation.hpp"

namespace mlsim::kernels::cuda {

enum class Direction { forward, input_gradient, weight_gradient };

/// The windows have kernel_h x kernel_w elements, `stride` apart, over images padded by (kernel - 1) / 2 on each side;
/// a pool's window as large as the image is not padded. For pools outputs = channels and groups = channels.
struct ImageWindows {
  std::int64_t batch = 1, channels = 1, height = 1, width = 1, outputs = 1;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, groups = 1;
  bool pools = false;
  bool operator==(const ImageWindows&) const = default;

  std::int64_t padding_h() const;
  std::int64_t padding_w() const;
  std::int64_t out_h() const;
  std::int64_t out_w() const;
  std::int64_t group_channels() const { return channels / groups; }
  std::int64_t input_elements() const { return batch * channels * height * width; }
  std::int64_t output_elements() const { return batch * outputs * out_h() * out_w(); }
  std::int64_t weight_elements() const { return outputs * group_channels() * kernel_h * kernel_w; }

  /// Images lie with channels together, weights as outputs x kernel_h x kernel_w x channels of a group.
  std::int64_t input_index(std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c) const;
  std::int64_t output_index(std::int64_t n, std::int64_t p, std::int64_t q, std::int64_t k) const;
  std::int64_t weight_index(std::int64_t k, std::int64_t r, std::int64_t s, std::int64_t c) const;
};

/// Returns the windows of a conv_* key; throws Unavailable where an extent or a group cannot be.
ImageWindows convolution_of(const KernelKey& key);
Direction direction_of(KernelOp op);
/// Returns the windows of a *_pool_* key.
ImageWindows pool_of(const KernelKey& key);

Flop convolution_flop(const ImageWindows& shape);
Bytes convolution_bytes(const ImageWindows& shape, Precision precision);

/// Gives the element of an array by its index.
using ElementAt = std::function<double(std::int64_t)>;

/// Returns element i of the output, of the input's gradient or of the weights' gradient, from the other two tensors:
/// (input, weights), (output's gradient, weights), (input, output's gradient).
double convolution_element(const ImageWindows& shape, Direction direction, std::int64_t i, const ElementAt& first,
                           const ElementAt& second);

/// Returns element i of a pool's output; an average counts the pixels of the image alone.
double pool_element(const ImageWindows& shape, bool average, std::int64_t i, const ElementAt& input);
/// Returns element i of the gradient of a pool's input. `output` is the pool's; where several pixels of a window are
/// its largest, all of them count, which random numbers in 16 bits make rare but not impossible.
double pool_gradient_element(const ImageWindows& shape, bool average, std::int64_t i, const ElementAt& input,
                             const ElementAt& gradient);

}  // namespace mlsim::kernels::cuda
