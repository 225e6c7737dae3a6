#include "kernels/cpu/framework/window.hpp"

namespace mlsim::kernels {

WindowShape window_shape(const ConvolutionShape& s) {
  WindowShape shape{s.batch, s.channels, s.height, s.width, s.outputs, s.groups, {}};
  shape.window = {s.kernel_h, s.kernel_w, s.stride_h, s.stride_w, 0, 0};
  shape.window.padding_h = (shape.window.kernel_h - 1) / 2;
  shape.window.padding_w = (shape.window.kernel_w - 1) / 2;
  return shape;
}

WindowShape window_shape(const PoolShape& s) {
  WindowShape shape{s.batch, s.channels, s.height, s.width, s.channels, 1, {}};
  shape.window = {s.kernel_h, s.kernel_w, s.stride_h, s.stride_w, 0, 0};
  const auto padding = [](std::int64_t kernel, std::int64_t extent) { return kernel < extent ? (kernel - 1) / 2 : 0; };
  shape.window.padding_h = padding(shape.window.kernel_h, shape.h_in);
  shape.window.padding_w = padding(shape.window.kernel_w, shape.w_in);
  return shape;
}

}  // namespace mlsim::kernels
