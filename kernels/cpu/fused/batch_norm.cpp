#include "kernels/cpu/fused/batch_norm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/framework/lanes.hpp"
#include "kernels/cpu/framework/team.hpp"

namespace mlsim::kernels {
namespace {

constexpr double kEpsilon = 1e-5;  // PyTorch's default

// A panel is what one sample has of one block of channels: positions x block floats side by side. Its lanes meet the
// channels of the block in turn.
MLSIM_VECTORISED void add_moments(const float* x, std::int64_t panel, double* sums, double* squares) {
  Lanes sum{}, square{};
  for_lanes(0, panel, [&](std::int64_t i, std::int64_t count) MLSIM_ALWAYS_INLINE {
    const Lanes each = lanes_at(x + i, count);
    sum += each;
    square += each * each;
  });
  for (std::int64_t l = 0; l < kLanes; ++l) {
    sums[l] += double(sum[l]);
    squares[l] += double(square[l]);
  }
}

struct Affine {
  const float *scale, *shift;
};

MLSIM_VECTORISED void apply(const float* x, const float* residual, Affine affine, float floor, std::int64_t panel,
                            float* y) {
  const Lanes scale = lanes_at(affine.scale), shift = lanes_at(affine.shift), least = lanes_of(floor);
  if (residual == nullptr) {
    for_lanes(0, panel, [&](std::int64_t i, std::int64_t count) MLSIM_ALWAYS_INLINE {
      store(larger(lanes_at(x + i, count) * scale + shift, least), y + i, count);
    });
  } else {
    for_lanes(0, panel, [&](std::int64_t i, std::int64_t count) MLSIM_ALWAYS_INLINE {
      store(larger(lanes_at(x + i, count) * scale + shift + lanes_at(residual + i, count), least), y + i, count);
    });
  }
}

// A `Gate` knows where the ReLU is open: by the output or, where nothing was added, by x.
enum class Gate { none, by_x, by_output };

template <Gate gate>
MLSIM_INLINE Lanes gated(const NormGradient& g, std::int64_t i, std::int64_t count, const Lanes& scale,
                         const Lanes& shift) {
  Lanes gradient = lanes_at(g.gradient + i, count);
  if (g.second != nullptr) gradient += lanes_at(g.second + i, count);
  if constexpr (gate == Gate::by_x) gradient = lanes_at(g.x + i, count) * scale + shift > 0 ? gradient : Lanes{};
  if constexpr (gate == Gate::by_output) gradient = lanes_at(g.output + i, count) > 0 ? gradient : Lanes{};
  return gradient;
}

template <Gate gate>
MLSIM_INLINE void add_gradient_sums_of(const NormGradient& g, Affine affine, std::int64_t begin, std::int64_t end,
                                       double* sums, double* products) {
  const Lanes scale = lanes_at(affine.scale), shift = lanes_at(affine.shift);
  Lanes sum{}, product{};
  for_lanes(begin, end, [&](std::int64_t i, std::int64_t count) MLSIM_ALWAYS_INLINE {
    const Lanes gradient = gated<gate>(g, i, count, scale, shift);
    if (g.gated != nullptr) store(gradient, g.gated + i, count);
    sum += gradient;
    product += gradient * lanes_at(g.x + i, count);
  });
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
  for_lanes(begin, end, [&](std::int64_t i, std::int64_t count) MLSIM_ALWAYS_INLINE {
    store(a * gated<gate>(g, i, count, scale, shift) + b * lanes_at(g.x + i, count) + c, g.dx + i, count);
  });
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

// Counts the lanes of all blocks of channels.
std::size_t all_lanes(const BlockedShape& shape) { return std::size_t(shape.blocks() * kLanes); }

// Returns the channel of a lane.
std::int64_t channel_of(const BlockedShape& shape, std::size_t lane) {
  return std::int64_t(lane) / kLanes * shape.block + std::int64_t(lane) % shape.block;
}

// Returns the first lane of a panel's channels.
std::size_t lane_of(const BlockedShape& shape, std::int64_t panel) {
  return std::size_t(panel % shape.blocks() * kLanes);
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

// Adds up the sums of all ranks, by channel.
void BatchNorm::finish_sums(std::vector<double>& first, std::vector<double>& second) const {
  first.assign(std::size_t(shape_.padded_channels()), 0);
  second = first;
  for (std::size_t rank = 0; rank < first_.size(); ++rank) {
    for (std::size_t lane = 0; lane < all_lanes(shape_); ++lane) {
      const auto c = std::size_t(channel_of(shape_, lane));
      first[c] += first_[rank][lane];
      second[c] += second_[rank][lane];
    }
  }
}

void BatchNorm::forward(const float* x, const float* residual, bool relu, float* y) {
  const std::int64_t panels = shape_.panels(), panel = shape_.panel();
  run_team(threads_, [&](int rank) {
    auto &sums = first_[rank], &squares = second_[rank];
    sums.assign(all_lanes(shape_), 0);
    squares.assign(all_lanes(shape_), 0);
    const Range range = share(panels, rank, threads_);
    for (std::int64_t p = range.begin; p < range.end; ++p) {
      const std::size_t lane = lane_of(shape_, p);
      add_moments(x + p * panel, panel, &sums[lane], &squares[lane]);
    }
  });
  std::vector<double> sums, squares;
  finish_sums(sums, squares);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const double average = sums[c] / double(shape_.rows());
    const double variance = std::max(0.0, squares[c] / double(shape_.rows()) - average * average);
    const auto i = std::int64_t(c);
    mean[i] = float(average);
    inverse_deviation[i] = float(1 / std::sqrt(variance + kEpsilon));
  }
  std::vector<float> factor(all_lanes(shape_)), offset(factor.size());
  set_affine(factor, offset);
  const float floor = relu ? 0 : -std::numeric_limits<float>::infinity();
  share_out(threads_, panels, 1, [&](Range range) {
    for (std::int64_t p = range.begin; p < range.end; ++p) {
      const std::size_t lane = lane_of(shape_, p);
      apply(x + p * panel, residual == nullptr ? nullptr : residual + p * panel, {&factor[lane], &offset[lane]}, floor,
            panel, y + p * panel);
    }
  });
}

// Normalising x multiplies it by `factor` and adds `offset`, each by lane.
void BatchNorm::set_affine(std::vector<float>& factor, std::vector<float>& offset) const {
  for (std::size_t lane = 0; lane < factor.size(); ++lane) {
    const std::int64_t c = channel_of(shape_, lane);
    factor[lane] = scale[c] * inverse_deviation[c];
    offset[lane] = shift[c] - mean[c] * factor[lane];
  }
}

void BatchNorm::backward(const NormGradient& gradient) {
  const std::int64_t panels = shape_.panels(), panel = shape_.panel();
  const std::size_t lanes = all_lanes(shape_);
  std::vector<float> factor(lanes), offset(lanes), b(lanes), c(lanes);
  set_affine(factor, offset);
  run_team(threads_, [&](int rank) {
    auto &sums = first_[rank], &products = second_[rank];
    sums.assign(lanes, 0);
    products.assign(lanes, 0);
    const Range range = share(panels, rank, threads_);
    for (std::int64_t p = range.begin; p < range.end; ++p) {
      const std::size_t lane = lane_of(shape_, p);
      add_gradient_sums(gate_of(gradient), gradient, {&factor[lane], &offset[lane]}, p * panel, (p + 1) * panel,
                        &sums[lane], &products[lane]);
    }
  });
  std::vector<double> sums, products;
  finish_sums(sums, products);
  // dx = scale / deviation * (gradient - its mean - normalised x * (mean of gradient * normalised x)).
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::int64_t k = channel_of(shape_, lane);
    const double deviation = double(inverse_deviation[k]), average = double(mean[k]), sum = sums[std::size_t(k)];
    const double with_normalised = (products[std::size_t(k)] - average * sum) * deviation;
    shift_gradient[k] = float(sum);
    scale_gradient[k] = float(with_normalised);
    const double rows = double(shape_.rows());
    b[lane] = float(-double(factor[lane]) * deviation * with_normalised / rows);
    c[lane] = float(-double(factor[lane]) * (sum / rows - average * deviation * with_normalised / rows));
  }
  NormGradient second = gradient;
  if (gradient.gated != nullptr) {  // is the sum behind the ReLU already
    second.gradient = gradient.gated;
    second.second = second.output = nullptr;
    second.relu = false;
  }
  share_out(threads_, panels, 1, [&](Range range) {
    for (std::int64_t p = range.begin; p < range.end; ++p) {
      const std::size_t lane = lane_of(shape_, p);
      write_input_gradient(gate_of(second), second, {&factor[lane], &offset[lane]}, {&factor[lane], &b[lane], &c[lane]},
                           p * panel, (p + 1) * panel);
    }
  });
}

}  // namespace mlsim::kernels
