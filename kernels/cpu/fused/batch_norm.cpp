#include "kernels/cpu/fused/batch_norm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/framework/lanes.hpp"
#include "kernels/cpu/framework/team.hpp"

namespace mlsim::kernels {
namespace {

constexpr double kEpsilon = 1e-5;  // PyTorch's default

// A panel is what one sample has of one block of channels: positions x 16 floats side by side.
MLSIM_VECTORISED void add_moments(const float* x, std::int64_t positions, double* sums, double* squares) {
  Lanes sum{}, square{};
  for (std::int64_t i = 0; i < positions; ++i, x += kLanes) {
    sum += lanes_at(x);
    square += lanes_at(x) * lanes_at(x);
  }
  for (std::int64_t l = 0; l < kLanes; ++l) {
    sums[l] += double(sum[l]);
    squares[l] += double(square[l]);
  }
}

struct Affine {
  const float *scale, *shift;
};

MLSIM_VECTORISED void apply(const float* x, const float* residual, Affine affine, float floor, std::int64_t positions,
                            float* y) {
  const Lanes scale = lanes_at(affine.scale), shift = lanes_at(affine.shift), least = lanes_of(floor);
  if (residual == nullptr) {
    for (std::int64_t i = 0; i < positions * kLanes; i += kLanes)
      lanes_at(y + i) = larger(lanes_at(x + i) * scale + shift, least);
  } else {
    for (std::int64_t i = 0; i < positions * kLanes; i += kLanes)
      lanes_at(y + i) = larger(lanes_at(x + i) * scale + shift + lanes_at(residual + i), least);
  }
}

// What a gradient is behind the ReLU, which is known by the output or, where nothing was added, by x.
enum class Gate { none, by_x, by_output };

template <Gate gate>
MLSIM_INLINE Lanes gated(const NormGradient& g, std::int64_t i, const Lanes& scale, const Lanes& shift) {
  Lanes gradient = lanes_at(g.gradient + i);
  if (g.second != nullptr) gradient += lanes_at(g.second + i);
  if constexpr (gate == Gate::by_x) gradient = lanes_at(g.x + i) * scale + shift > 0 ? gradient : Lanes{};
  if constexpr (gate == Gate::by_output) gradient = lanes_at(g.output + i) > 0 ? gradient : Lanes{};
  return gradient;
}

template <Gate gate>
MLSIM_INLINE void add_gradient_sums_of(const NormGradient& g, Affine affine, std::int64_t begin, std::int64_t end,
                                       double* sums, double* products) {
  const Lanes scale = lanes_at(affine.scale), shift = lanes_at(affine.shift);
  Lanes sum{}, product{};
  for (std::int64_t i = begin; i < end; i += kLanes) {
    const Lanes gradient = gated<gate>(g, i, scale, shift);
    if (g.gated != nullptr) lanes_at(g.gated + i) = gradient;
    sum += gradient;
    product += gradient * lanes_at(g.x + i);
  }
  for (std::int64_t l = 0; l < kLanes; ++l) {
    sums[l] += double(sum[l]);
    products[l] += double(product[l]);
  }
}

MLSIM_VECTORISED void add_gradient_sums(Gate gate, const NormGradient& g, Affine affine, std::int64_t begin,
                                        std::int64_t end, double* sums, double* products) {
  if (gate == Gate::none) add_gradient_sums_of<Gate::none>(g, affine, begin, end, sums, products);
  if (gate == Gate::by_x) add_gradient_sums_of<Gate::by_x>(g, affine, begin, end, sums, products);
  if (gate == Gate::by_output) add_gradient_sums_of<Gate::by_output>(g, affine, begin, end, sums, products);
}

// dx = a * gradient + b * x + c for each channel.
struct InputGradient {
  const float *a, *b, *c;
};

template <Gate gate>
MLSIM_INLINE void write_input_gradient_of(const NormGradient& g, Affine affine, InputGradient factors,
                                          std::int64_t begin, std::int64_t end) {
  const Lanes scale = lanes_at(affine.scale), shift = lanes_at(affine.shift);
  const Lanes a = lanes_at(factors.a), b = lanes_at(factors.b), c = lanes_at(factors.c);
  for (std::int64_t i = begin; i < end; i += kLanes)
    lanes_at(g.dx + i) = a * gated<gate>(g, i, scale, shift) + b * lanes_at(g.x + i) + c;
}

MLSIM_VECTORISED void write_input_gradient(Gate gate, const NormGradient& g, Affine affine, InputGradient factors,
                                           std::int64_t begin, std::int64_t end) {
  if (gate == Gate::none) write_input_gradient_of<Gate::none>(g, affine, factors, begin, end);
  if (gate == Gate::by_x) write_input_gradient_of<Gate::by_x>(g, affine, factors, begin, end);
  if (gate == Gate::by_output) write_input_gradient_of<Gate::by_output>(g, affine, factors, begin, end);
}

Gate gate_of(const NormGradient& g) {
  if (!g.relu) return Gate::none;
  return g.output == nullptr ? Gate::by_x : Gate::by_output;
}

}  // namespace

BatchNorm::BatchNorm(BlockedShape shape, int threads)
    : scale(shape.padded_channels()),
      shift(shape.padded_channels()),
      scale_gradient(shape.padded_channels()),
      shift_gradient(shape.padded_channels()),
      mean(shape.padded_channels()),
      inverse_deviation(shape.padded_channels()),
      shape_(shape),
      threads_(threads),
      first_(std::size_t(threads)),
      second_(std::size_t(threads)) {
  std::fill_n(scale.data(), shape.channels, 1.0f);
}

// The sums of all ranks.
void BatchNorm::finish_sums(std::vector<double>& first, std::vector<double>& second) const {
  const auto channels = std::size_t(shape_.padded_channels());
  first.assign(channels, 0);
  second.assign(channels, 0);
  for (std::size_t rank = 0; rank < first_.size(); ++rank) {
    for (std::size_t c = 0; c < channels; ++c) {
      first[c] += first_[rank][c];
      second[c] += second_[rank][c];
    }
  }
}

void BatchNorm::forward(const float* x, const float* residual, bool relu, float* y) {
  const std::int64_t panels = shape_.batch * shape_.blocks(), panel = shape_.positions * kLanes;
  run_team(threads_, [&](int rank) {
    auto &sums = first_[rank], &squares = second_[rank];
    sums.assign(shape_.padded_channels(), 0);
    squares.assign(shape_.padded_channels(), 0);
    const Range range = share(panels, rank, threads_);
    for (std::int64_t p = range.begin; p < range.end; ++p) {
      const std::int64_t channel = p % shape_.blocks() * kLanes;
      add_moments(x + p * panel, shape_.positions, &sums[channel], &squares[channel]);
    }
  });
  std::vector<double> sums, squares;
  finish_sums(sums, squares);
  std::vector<float> factor(sums.size()), offset(sums.size());
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const double average = sums[c] / double(shape_.rows());
    const double variance = std::max(0.0, squares[c] / double(shape_.rows()) - average * average);
    const auto i = std::int64_t(c);
    mean[i] = float(average);
    inverse_deviation[i] = float(1 / std::sqrt(variance + kEpsilon));
    factor[c] = scale[i] * inverse_deviation[i];
    offset[c] = shift[i] - mean[i] * factor[c];
  }
  const float floor = relu ? 0 : -std::numeric_limits<float>::infinity();
  share_out(threads_, panels, 1, [&](Range range) {
    for (std::int64_t p = range.begin; p < range.end; ++p) {
      const std::int64_t channel = p % shape_.blocks() * kLanes;
      apply(x + p * panel, residual == nullptr ? nullptr : residual + p * panel, {&factor[channel], &offset[channel]},
            floor, shape_.positions, y + p * panel);
    }
  });
}

void BatchNorm::backward(const NormGradient& gradient) {
  const std::int64_t panels = shape_.batch * shape_.blocks(), panel = shape_.positions * kLanes;
  const auto channels = std::size_t(shape_.padded_channels());
  std::vector<float> factor(channels), offset(channels), b(channels), c(channels);
  for (std::size_t i = 0; i < channels; ++i) {
    const auto k = std::int64_t(i);
    factor[i] = scale[k] * inverse_deviation[k];
    offset[i] = shift[k] - mean[k] * factor[i];
  }
  run_team(threads_, [&](int rank) {
    auto &sums = first_[rank], &products = second_[rank];
    sums.assign(channels, 0);
    products.assign(channels, 0);
    const Range range = share(panels, rank, threads_);
    for (std::int64_t p = range.begin; p < range.end; ++p) {
      const auto i = std::size_t(p % shape_.blocks() * kLanes);
      add_gradient_sums(gate_of(gradient), gradient, {&factor[i], &offset[i]}, p * panel, (p + 1) * panel, &sums[i],
                        &products[i]);
    }
  });
  std::vector<double> sums, products;
  finish_sums(sums, products);
  // dx = scale / deviation * (gradient - its mean - normalised x * (mean of gradient * normalised x)).
  for (std::size_t i = 0; i < channels; ++i) {
    const auto k = std::int64_t(i);
    const double deviation = double(inverse_deviation[k]), average = double(mean[k]);
    const double with_normalised = (products[i] - average * sums[i]) * deviation;
    shift_gradient[k] = float(sums[i]);
    scale_gradient[k] = float(with_normalised);
    const double rows = double(shape_.rows());
    b[i] = float(-double(factor[i]) * deviation * with_normalised / rows);
    c[i] = float(-double(factor[i]) * (sums[i] / rows - average * deviation * with_normalised / rows));
  }
  NormGradient second = gradient;
  if (gradient.gated != nullptr) {  // is the sum behind the ReLU already
    second.gradient = gradient.gated;
    second.second = second.output = nullptr;
    second.relu = false;
  }
  share_out(threads_, panels, 1, [&](Range range) {
    for (std::int64_t p = range.begin; p < range.end; ++p) {
      const auto i = std::size_t(p % shape_.blocks() * kLanes);
      write_input_gradient(gate_of(second), second, {&factor[i], &offset[i]}, {&factor[i], &b[i], &c[i]}, p * panel,
                           (p + 1) * panel);
    }
  });
}

}  // namespace mlsim::kernels
