// A Window is that of a convolution or a pool that slides over a feature map.
#pragma once

#include <cstdint>

#include "core/kernel/kernel_shape.hpp"

namespace mlsim::kernels {

struct Window {
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, padding_h = 0, padding_w = 0;
};

/// A WindowShape is what a convolution or a pool works on.
struct WindowShape {
  std::int64_t batch = 1, c_in = 1, h_in = 1, w_in = 1, c_out = 1, groups = 1;
  Window window;
  std::int64_t h_out() const { return (h_in + 2 * window.padding_h - window.kernel_h) / window.stride_h + 1; }
  std::int64_t w_out() const { return (w_in + 2 * window.padding_w - window.kernel_w) / window.stride_w + 1; }
  std::int64_t input_elements() const { return batch * c_in * h_in * w_in; }
  std::int64_t output_elements() const { return batch * c_out * h_out() * w_out(); }
  std::int64_t weight_elements() const { return c_in / groups * c_out * window.kernel_h * window.kernel_w; }
};

/// The map is padded by (kernel - 1) / 2; a pool whose window covers the whole map is not padded.
WindowShape window_shape(const ConvolutionShape& shape);
WindowShape window_shape(const PoolShape& shape);

}  // namespace mlsim::kernels
