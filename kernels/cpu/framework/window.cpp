#include "kernels/cpu/framework/window.hpp"

namespace mlsim::kernels {
namespace {

std::int64_t or_else(std::int64_t value, std::int64_t usual) { return value == 0 ? usual : value; }

}  // namespace

WindowShape convolution_shape(const KernelKey& key) {
  const auto& d = key.dims;
  WindowShape shape{d[0], d[1], d[2], d[3], d[4], or_else(d[9], 1), {}};
  shape.window = {d[5], or_else(d[7], d[5]), d[6], or_else(d[8], d[6]), 0, 0};
  shape.window.padding_h = (shape.window.kernel_h - 1) / 2;
  shape.window.padding_w = (shape.window.kernel_w - 1) / 2;
  return shape;
}

WindowShape pool_shape(const KernelKey& key) {
  const auto& d = key.dims;
  WindowShape shape{d[0], d[1], d[2], d[3], d[1], 1, {}};
  shape.window = {d[4], or_else(d[6], d[4]), d[5], or_else(d[7], d[5]), 0, 0};
  const auto padding = [](std::int64_t kernel, std::int64_t extent) { return kernel < extent ? (kernel - 1) / 2 : 0; };
  shape.window.padding_h = padding(shape.window.kernel_h, shape.h_in);
  shape.window.padding_w = padding(shape.window.kernel_w, shape.w_in);
  return shape;
}

}  // namespace mlsim::kernels
