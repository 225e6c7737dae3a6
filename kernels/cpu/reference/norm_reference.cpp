#include "kernels/cpu/reference/norm_reference.hpp"

#include <algorithm>
#include <cmath>

namespace mlsim::kernels {
namespace {

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

}  // namespace mlsim::kernels
