#include "kernels/cuda/cudnn/image_windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/text/errors.hpp"

namespace mlsim::kernels::cuda {
namespace {

std::int64_t padding(std::int64_t extent, std::int64_t kernel, bool pools) {
  return pools && kernel == extent ? 0 : (kernel - 1) / 2;
}

ImageWindows checked(const ImageWindows& s, const KernelKey& key) {
  const bool positive = std::min({s.batch, s.channels, s.height, s.width, s.outputs, s.kernel_h, s.kernel_w, s.stride_h,
                                  s.stride_w, s.groups}) > 0;
  if (!positive || s.channels % s.groups != 0 || s.outputs % s.groups != 0 || s.out_h() < 1 || s.out_w() < 1) {
    throw Unavailable(fmt::format("\"{}\" is no window over an image", to_text(key)));
  }
  return s;
}

// Calls f(p, r) for every window's place p and offset r in it that meet at `pixel`.
template <class F>
void for_windows_at(std::int64_t pixel, std::int64_t kernel, std::int64_t stride, std::int64_t pad, std::int64_t count,
                    const F& f) {
  for (std::int64_t r = 0; r < kernel; ++r) {
    const std::int64_t begin = pixel + pad - r;
    if (begin >= 0 && begin % stride == 0 && begin / stride < count) f(begin / stride, r);
  }
}

// Calls f(pixel, r) for all pixels in the window at `place`.
template <class F>
void for_pixels_of(std::int64_t place, std::int64_t kernel, std::int64_t stride, std::int64_t pad, std::int64_t extent,
                   const F& f) {
  for (std::int64_t r = 0; r < kernel; ++r) {
    const std::int64_t pixel = place * stride - pad + r;
    if (pixel >= 0 && pixel < extent) f(pixel, r);
  }
}

struct Place {
  std::int64_t n, h, w, c;
};
Place place_of(std::int64_t i, std::int64_t height, std::int64_t width, std::int64_t channels) {
  return {i / (height * width * channels), i / (width * channels) % height, i / channels % width, i % channels};
}

double forward_element(const ImageWindows& s, std::int64_t i, const ElementAt& x, const ElementAt& weight) {
  const Place at = place_of(i, s.out_h(), s.out_w(), s.outputs);
  const std::int64_t first = at.c / (s.outputs / s.groups) * s.group_channels();
  double sum = 0;
  for_pixels_of(at.h, s.kernel_h, s.stride_h, s.padding_h(), s.height, [&](std::int64_t h, std::int64_t r) {
    for_pixels_of(at.w, s.kernel_w, s.stride_w, s.padding_w(), s.width, [&](std::int64_t w, std::int64_t q) {
      for (std::int64_t c = 0; c < s.group_channels(); ++c) {
        sum += x(s.input_index(at.n, h, w, first + c)) * weight(s.weight_index(at.c, r, q, c));
      }
    });
  });
  return sum;
}

double input_element(const ImageWindows& s, std::int64_t i, const ElementAt& dy, const ElementAt& weight) {
  const Place at = place_of(i, s.height, s.width, s.channels);
  const std::int64_t group = at.c / s.group_channels(), each = s.outputs / s.groups;
  double sum = 0;
  for_windows_at(at.h, s.kernel_h, s.stride_h, s.padding_h(), s.out_h(), [&](std::int64_t p, std::int64_t r) {
    for_windows_at(at.w, s.kernel_w, s.stride_w, s.padding_w(), s.out_w(), [&](std::int64_t q, std::int64_t t) {
      for (std::int64_t k = group * each; k < (group + 1) * each; ++k) {
        sum += dy(s.output_index(at.n, p, q, k)) * weight(s.weight_index(k, r, t, at.c % s.group_channels()));
      }
    });
  });
  return sum;
}

double weight_element(const ImageWindows& s, std::int64_t i, const ElementAt& x, const ElementAt& dy) {
  const Place at = place_of(i, s.kernel_h, s.kernel_w, s.group_channels());
  const std::int64_t k = at.n, c = k / (s.outputs / s.groups) * s.group_channels() + at.c;
  double sum = 0;
  for (std::int64_t n = 0; n < s.batch; ++n) {
    for (std::int64_t p = 0; p < s.out_h(); ++p) {
      const std::int64_t h = p * s.stride_h - s.padding_h() + at.h;
      if (h < 0 || h >= s.height) continue;
      for (std::int64_t q = 0; q < s.out_w(); ++q) {
        const std::int64_t w = q * s.stride_w - s.padding_w() + at.w;
        if (w >= 0 && w < s.width) sum += x(s.input_index(n, h, w, c)) * dy(s.output_index(n, p, q, k));
      }
    }
  }
  return sum;
}

struct Window {
  double sum = 0, largest = -INFINITY;
  int pixels = 0;
};
Window window_at(const ImageWindows& s, const Place& at, const ElementAt& input) {
  Window window;
  for_pixels_of(at.h, s.kernel_h, s.stride_h, s.padding_h(), s.height, [&](std::int64_t h, std::int64_t) {
    for_pixels_of(at.w, s.kernel_w, s.stride_w, s.padding_w(), s.width, [&](std::int64_t w, std::int64_t) {
      const double x = input(s.input_index(at.n, h, w, at.c));
      window.sum += x, window.largest = std::max(window.largest, x), ++window.pixels;
    });
  });
  return window;
}

}  // namespace

std::int64_t ImageWindows::padding_h() const { return padding(height, kernel_h, pools); }
std::int64_t ImageWindows::padding_w() const { return padding(width, kernel_w, pools); }
std::int64_t ImageWindows::out_h() const { return (height + 2 * padding_h() - kernel_h) / stride_h + 1; }
std::int64_t ImageWindows::out_w() const { return (width + 2 * padding_w() - kernel_w) / stride_w + 1; }

std::int64_t ImageWindows::input_index(std::int64_t n, std::int64_t h, std::int64_t w, std::int64_t c) const {
  return ((n * height + h) * width + w) * channels + c;
}
std::int64_t ImageWindows::output_index(std::int64_t n, std::int64_t p, std::int64_t q, std::int64_t k) const {
  return ((n * out_h() + p) * out_w() + q) * outputs + k;
}
std::int64_t ImageWindows::weight_index(std::int64_t k, std::int64_t r, std::int64_t s, std::int64_t c) const {
  return ((k * kernel_h + r) * kernel_w + s) * group_channels() + c;
}

ImageWindows convolution_of(const KernelKey& key) {
  const auto& s = shape_of<ConvolutionShape>(key);
  return checked(
      {s.batch, s.channels, s.height, s.width, s.outputs, s.kernel_h, s.kernel_w, s.stride_h, s.stride_w, s.groups},
      key);
}

Direction direction_of(KernelOp op) {
  switch (op) {
    case KernelOp::conv_forward: return Direction::forward;
    case KernelOp::conv_input_gradient: return Direction::input_gradient;
    case KernelOp::conv_weight_gradient: return Direction::weight_gradient;
    default: throw std::logic_error("not a convolution");
  }
}

ImageWindows pool_of(const KernelKey& key) {
  const auto& s = shape_of<PoolShape>(key);
  return checked({s.batch, s.channels, s.height, s.width, s.channels, s.kernel_h, s.kernel_w, s.stride_h, s.stride_w,
                  s.channels, true},
                 key);
}

Flop convolution_flop(const ImageWindows& s) {
  return Flop(2.0 * double(s.output_elements()) * double(s.group_channels() * s.kernel_h * s.kernel_w));
}

Bytes convolution_bytes(const ImageWindows& s, Precision precision) {
  return double(s.input_elements() + s.output_elements() + s.weight_elements()) * element_size(precision);
}

double convolution_element(const ImageWindows& shape, Direction direction, std::int64_t i, const ElementAt& first,
                           const ElementAt& second) {
  switch (direction) {
    case Direction::forward: return forward_element(shape, i, first, second);
    case Direction::input_gradient: return input_element(shape, i, first, second);
    case Direction::weight_gradient: return weight_element(shape, i, first, second);
  }
  throw std::logic_error("no such direction");
}

double pool_element(const ImageWindows& s, bool average, std::int64_t i, const ElementAt& input) {
  const Window window = window_at(s, place_of(i, s.out_h(), s.out_w(), s.outputs), input);
  return average ? window.sum / window.pixels : window.largest;
}

double pool_gradient_element(const ImageWindows& s, bool average, std::int64_t i, const ElementAt& input,
                             const ElementAt& gradient) {
  const Place at = place_of(i, s.height, s.width, s.channels);
  double sum = 0;
  for_windows_at(at.h, s.kernel_h, s.stride_h, s.padding_h(), s.out_h(), [&](std::int64_t p, std::int64_t) {
    for_windows_at(at.w, s.kernel_w, s.stride_w, s.padding_w(), s.out_w(), [&](std::int64_t q, std::int64_t) {
      const Window window = window_at(s, {at.n, p, q, at.c}, input);
      const double arrived = gradient(s.output_index(at.n, p, q, at.c));
      if (average) sum += arrived / window.pixels;
      if (!average && input(i) == window.largest) sum += arrived;
    });
  });
  return sum;
}

}  // namespace mlsim::kernels::cuda
