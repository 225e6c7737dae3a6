#include "kernels/cpu/framework/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/framework/cpu_operation.hpp"

namespace mlsim::kernels {
namespace {

// A place is an element of a map by sample, channel, row and column.
struct Place {
  std::int64_t n, c, y, x;
};

struct Map {
  std::int64_t channels, height, width;
  std::int64_t at(Place p) const { return ((p.n * channels + p.c) * height + p.y) * width + p.x; }
  Place place(std::int64_t i) const {
    return {i / width / height / channels, i / width / height % channels, i / width % height, i % width};
  }
  bool holds(std::int64_t y, std::int64_t x) const { return y >= 0 && y < height && x >= 0 && x < width; }
};

Map input_map(const WindowShape& s) { return {s.c_in, s.h_in, s.w_in}; }
Map output_map(const WindowShape& s) { return {s.c_out, s.h_out(), s.w_out()}; }
Map weight_map(const WindowShape& s) { return {s.c_in / s.groups, s.window.kernel_h, s.window.kernel_w}; }

// Returns the input row (and column) under tap `ky` of the window at output row `y`.
std::int64_t input_y(const Window& w, std::int64_t y, std::int64_t ky) { return y * w.stride_h - w.padding_h + ky; }
std::int64_t input_x(const Window& w, std::int64_t x, std::int64_t kx) { return x * w.stride_w - w.padding_w + kx; }

// Returns the output row whose window has `y` under tap `ky`, or -1.
std::int64_t output_of(std::int64_t extent, std::int64_t shifted, std::int64_t stride) {
  return shifted >= 0 && shifted % stride == 0 && shifted / stride < extent ? shifted / stride : -1;
}

struct PooledWindow {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  std::int64_t at_largest = -1, count = 0;
};

PooledWindow pooled(const WindowShape& s, const float* input, Place out) {
  const Map map = input_map(s);
  PooledWindow window;
  for (std::int64_t ky = 0; ky < s.window.kernel_h; ++ky) {
    for (std::int64_t kx = 0; kx < s.window.kernel_w; ++kx) {
      const std::int64_t y = input_y(s.window, out.y, ky), x = input_x(s.window, out.x, kx);
      if (!map.holds(y, x)) continue;
      const std::int64_t i = map.at({out.n, out.c, y, x});
      const double value = double(input[i]);
      if (value > window.largest) {
        window.largest = value;
        window.at_largest = i;
      }
      window.sum += value;
      ++window.count;
    }
  }
  return window;
}

struct Statistics {
  double mean = 0, deviation = 1;
};

Statistics statistics(const BlockedShape& shape, const float* x, std::int64_t channel) {
  constexpr double kEpsilon = 1e-5;  // as the kernels
  double sum = 0, squares = 0;
  for (std::int64_t r = 0; r < shape.rows(); ++r) sum += double(x[blocked_index(shape, channel, r)]);
  const double mean = sum / double(shape.rows());
  for (std::int64_t r = 0; r < shape.rows(); ++r)
    squares += std::pow(double(x[blocked_index(shape, channel, r)]) - mean, 2);
  return {mean, std::sqrt(squares / double(shape.rows()) + kEpsilon)};
}

}  // namespace

double convolution_output(const WindowShape& s, PlainOperands operands, std::int64_t i) {
  const Map in = input_map(s), weights = weight_map(s);
  const Place out = output_map(s).place(i);
  const std::int64_t first = out.c / (s.c_out / s.groups) * weights.channels;
  double sum = 0;
  for (std::int64_t c = 0; c < weights.channels; ++c) {
    for (std::int64_t ky = 0; ky < weights.height; ++ky) {
      for (std::int64_t kx = 0; kx < weights.width; ++kx) {
        const std::int64_t y = input_y(s.window, out.y, ky), x = input_x(s.window, out.x, kx);
        if (!in.holds(y, x)) continue;
        sum += double(operands.input[in.at({out.n, first + c, y, x})]) *
               double(operands.weights[weights.at({out.c, c, ky, kx})]);
      }
    }
  }
  return sum;
}

double convolution_input_gradient(const WindowShape& s, PlainOperands operands, std::int64_t i) {
  const Map out = output_map(s), weights = weight_map(s);
  const Place in = input_map(s).place(i);
  const std::int64_t outputs = s.c_out / s.groups, first = in.c / weights.channels * outputs;
  double sum = 0;
  for (std::int64_t c = first; c < first + outputs; ++c) {
    for (std::int64_t ky = 0; ky < weights.height; ++ky) {
      for (std::int64_t kx = 0; kx < weights.width; ++kx) {
        const std::int64_t y = output_of(out.height, in.y + s.window.padding_h - ky, s.window.stride_h);
        const std::int64_t x = output_of(out.width, in.x + s.window.padding_w - kx, s.window.stride_w);
        if (y < 0 || x < 0) continue;
        sum += double(operands.output[out.at({in.n, c, y, x})]) *
               double(operands.weights[weights.at({c, in.c % weights.channels, ky, kx})]);
      }
    }
  }
  return sum;
}

double convolution_weight_gradient(const WindowShape& s, PlainOperands operands, std::int64_t i) {
  const Map in = input_map(s), out = output_map(s);
  const Place weight = weight_map(s).place(i);  // output, input, row, column
  const std::int64_t channel = weight.n / (s.c_out / s.groups) * (s.c_in / s.groups) + weight.c;
  double sum = 0;
  for (std::int64_t n = 0; n < s.batch; ++n) {
    for (std::int64_t oy = 0; oy < out.height; ++oy) {
      for (std::int64_t ox = 0; ox < out.width; ++ox) {
        const std::int64_t y = input_y(s.window, oy, weight.y), x = input_x(s.window, ox, weight.x);
        if (!in.holds(y, x)) continue;
        sum +=
            double(operands.input[in.at({n, channel, y, x})]) * double(operands.output[out.at({n, weight.n, oy, ox})]);
      }
    }
  }
  return sum;
}

double pool_output(const WindowShape& s, PoolKind kind, const float* input, std::int64_t i) {
  const PooledWindow window = pooled(s, input, output_map(s).place(i));
  return kind == PoolKind::max ? window.largest : window.sum / double(window.count);
}

double pool_input_gradient(const WindowShape& s, PoolKind kind, const float* input, const float* output_gradient,
                           std::int64_t i) {
  const Map out = output_map(s);
  const Place in = input_map(s).place(i);
  double sum = 0;
  for (std::int64_t ky = 0; ky < s.window.kernel_h; ++ky) {
    for (std::int64_t kx = 0; kx < s.window.kernel_w; ++kx) {
      const std::int64_t y = output_of(out.height, in.y + s.window.padding_h - ky, s.window.stride_h);
      const std::int64_t x = output_of(out.width, in.x + s.window.padding_w - kx, s.window.stride_w);
      if (y < 0 || x < 0) continue;
      const Place place{in.n, in.c, y, x};
      const PooledWindow window = pooled(s, input, place);
      const double share = kind == PoolKind::max ? double(window.at_largest == i) : 1 / double(window.count);
      sum += share * double(output_gradient[out.at(place)]);
    }
  }
  return sum;
}

std::int64_t blocked_index(const BlockedShape& s, std::int64_t channel, std::int64_t row) {
  const std::int64_t n = row / s.positions, p = row % s.positions;
  return ((n * s.blocks() + channel / s.block) * s.positions + p) * s.block + channel % s.block;
}

std::vector<double> norm_channel(const BatchNorm& norm, const float* x, const float* residual, bool relu,
                                 std::int64_t channel) {
  const BlockedShape& shape = norm.shape();
  const Statistics s = statistics(shape, x, channel);
  std::vector<double> y;
  for (std::int64_t r = 0; r < shape.rows(); ++r) {
    const std::int64_t i = blocked_index(shape, channel, r);
    double value = (double(x[i]) - s.mean) / s.deviation * double(norm.scale[channel]) + double(norm.shift[channel]);
    if (residual != nullptr) value += double(residual[i]);
    y.push_back(relu ? std::max(value, 0.0) : value);
  }
  return y;
}

std::vector<double> norm_gradient_channel(const BatchNorm& norm, const float* x, const float* gradient,
                                          const std::vector<double>& y, std::int64_t channel) {
  const BlockedShape& shape = norm.shape();
  const Statistics s = statistics(shape, x, channel);
  const auto open = [&](std::int64_t r) { return y[r] > 0 ? double(gradient[blocked_index(shape, channel, r)]) : 0.0; };
  const auto normalised = [&](std::int64_t r) {
    return (double(x[blocked_index(shape, channel, r)]) - s.mean) / s.deviation;
  };
  double sum = 0, product = 0;
  for (std::int64_t r = 0; r < shape.rows(); ++r) {
    sum += open(r);
    product += open(r) * normalised(r);
  }
  const double rows = double(shape.rows());
  std::vector<double> dx;
  for (std::int64_t r = 0; r < shape.rows(); ++r)
    dx.push_back(double(norm.scale[channel]) / s.deviation * (open(r) - sum / rows - normalised(r) * product / rows));
  return dx;
}

SoftmaxLossOperands random_softmax_operands(RowShape shape) {
  SoftmaxLossOperands operands{random_buffer(shape.elements(), 1, -3, 3), Buffer(shape.elements()), Buffer(shape.rows),
                               Buffer(shape.elements()), std::make_unique<std::int32_t[]>(std::size_t(shape.rows))};
  RandomNumbers numbers(2);
  for (std::int64_t r = 0; r < shape.rows; ++r) operands.labels[r] = std::int32_t(numbers.below(shape.columns));
  return operands;
}

double softmax_error(RowShape shape, const SoftmaxLossOperands& o, bool backward) {
  ErrorMeter meter;
  for_checked(shape.rows, shape.columns, [&](std::int64_t r) {
    const float* logits = o.logits.data() + r * shape.columns;
    const std::int64_t label = o.labels[r];
    double sum = 0;
    for (std::int64_t c = 0; c < shape.columns; ++c) sum += std::exp(double(logits[c]));
    if (!backward) meter.compare(double(o.losses[r]), std::log(sum) - double(logits[label]));
    for (std::int64_t c = 0; backward && c < shape.columns; ++c) {
      const double gradient = std::exp(double(logits[c])) / sum - double(c == label);
      meter.compare(double(o.gradient[r * shape.columns + c]), gradient / double(shape.rows));
    }
  });
  return meter.largest();
}

}  // namespace mlsim::kernels
