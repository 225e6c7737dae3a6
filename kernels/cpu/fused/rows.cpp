#include "kernels/cpu/fused/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cpu/framework/lanes.hpp"
#include "kernels/cpu/framework/team.hpp"

namespace mlsim::kernels {
namespace {

// The result is within 2 units in the last place between -87 and 88, where x is clamped: 2^n e^r with a polynomial for
// |r| <= ln(2) / 2 (Cephes, expf.c).
MLSIM_INLINE Lanes exponential(const Lanes& value) {
  constexpr float kRoundToWhole = 12582912;  // 1.5 * 2^23: what is added to it loses its fraction
  Lanes x = larger(value, lanes_of(-87));
  x = x < lanes_of(88) ? x : lanes_of(88);
  const Lanes n = (x * 1.44269504f + kRoundToWhole) - kRoundToWhole;
  const Lanes r = x - n * 0.693359375f + n * 2.12194440e-4f;
  Lanes p = lanes_of(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1;
  const LaneBits power = (__builtin_convertvector(n, LaneBits) + 127) << 23;
  // std::bit_cast does not serve: without inlining it would be compiled for another vector unit than its caller.
  return p * __builtin_bit_cast(Lanes, power);
}

constexpr float kRowsEpsilon = 1e-5f;  // PyTorch's default

std::int64_t whole_lanes(std::int64_t columns) { return columns / kLanes * kLanes; }

MLSIM_VECTORISED void add_bias_row(const float* x, const float* bias, std::int64_t columns, float floor, float* y) {
  const std::int64_t whole = whole_lanes(columns);
  for (std::int64_t c = 0; c < whole; c += kLanes)
    lanes_at(y + c) = larger(lanes_at(x + c) + lanes_at(bias + c), lanes_of(floor));
  for (std::int64_t c = whole; c < columns; ++c) y[c] = std::max(x[c] + bias[c], floor);
}

MLSIM_VECTORISED void relu_row(std::int64_t columns, float* y) {
  const std::int64_t whole = whole_lanes(columns);
  for (std::int64_t c = 0; c < whole; c += kLanes) lanes_at(y + c) = larger(lanes_at(y + c), Lanes{});
  for (std::int64_t c = whole; c < columns; ++c) y[c] = std::max(y[c], 0.0f);
}

MLSIM_VECTORISED float row_sum(const float* x, std::int64_t columns) {
  const std::int64_t whole = whole_lanes(columns);
  Lanes sum{};
  for (std::int64_t c = 0; c < whole; c += kLanes) sum += lanes_at(x + c);
  float total = sum_of(sum);
  for (std::int64_t c = whole; c < columns; ++c) total += x[c];
  return total;
}

MLSIM_VECTORISED float row_square_sum(const float* x, float mean, std::int64_t columns) {
  const std::int64_t whole = whole_lanes(columns);
  Lanes sum{};
  for (std::int64_t c = 0; c < whole; c += kLanes) sum += (lanes_at(x + c) - mean) * (lanes_at(x + c) - mean);
  float total = sum_of(sum);
  for (std::int64_t c = whole; c < columns; ++c) total += (x[c] - mean) * (x[c] - mean);
  return total;
}

MLSIM_VECTORISED float row_largest(const float* x, std::int64_t columns) {
  const std::int64_t whole = whole_lanes(columns);
  Lanes most = lanes_of(-std::numeric_limits<float>::infinity());
  for (std::int64_t c = 0; c < whole; c += kLanes) most = larger(lanes_at(x + c), most);
  float largest = most[0];
  for (std::int64_t lane = 1; lane < kLanes; ++lane) largest = std::max(largest, most[lane]);
  for (std::int64_t c = whole; c < columns; ++c) largest = std::max(largest, x[c]);
  return largest;
}

// Sets y = e^(x - largest); returns the sum.
MLSIM_VECTORISED float row_exponentials(const float* x, float largest, std::int64_t columns, float* y) {
  const std::int64_t whole = whole_lanes(columns);
  Lanes sum{};
  for (std::int64_t c = 0; c < whole; c += kLanes) {
    const Lanes e = exponential(lanes_at(x + c) - largest);
    lanes_at(y + c) = e;
    sum += e;
  }
  float total = sum_of(sum);
  for (std::int64_t c = whole; c < columns; ++c) total += y[c] = std::exp(x[c] - largest);
  return total;
}

MLSIM_VECTORISED void scale_row(const float* x, float factor, std::int64_t columns, float* y) {
  const std::int64_t whole = whole_lanes(columns);
  for (std::int64_t c = 0; c < whole; c += kLanes) lanes_at(y + c) = lanes_at(x + c) * factor;
  for (std::int64_t c = whole; c < columns; ++c) y[c] = x[c] * factor;
}

MLSIM_VECTORISED void normalise_row(const float* x, float mean, float inverse, const float* scale, const float* shift,
                                    std::int64_t columns, float* y) {
  const std::int64_t whole = whole_lanes(columns);
  for (std::int64_t c = 0; c < whole; c += kLanes)
    lanes_at(y + c) = (lanes_at(x + c) - mean) * inverse * lanes_at(scale + c) + lanes_at(shift + c);
  for (std::int64_t c = whole; c < columns; ++c) y[c] = (x[c] - mean) * inverse * scale[c] + shift[c];
}

struct RowMoments {
  float mean, inverse;
};

// Writes the row of dx, and adds the row's part to the gradients of scale and shift. Columns that fill no register go
// one by one.
MLSIM_VECTORISED void normalised_row_gradient(const float* x, const float* gradient, const float* scale, RowMoments row,
                                              std::int64_t columns, float* dx, float* d_scale, float* d_shift) {
  const std::int64_t whole = whole_lanes(columns);
  Lanes sums{}, products{};
  for (std::int64_t c = 0; c < whole; c += kLanes) {
    const Lanes g = lanes_at(gradient + c), n = (lanes_at(x + c) - row.mean) * row.inverse;
    lanes_at(d_scale + c) += g * n;
    lanes_at(d_shift + c) += g;
    sums += g * lanes_at(scale + c);
    products += g * lanes_at(scale + c) * n;
  }
  float sum = sum_of(sums), product = sum_of(products);
  for (std::int64_t c = whole; c < columns; ++c) {
    const float n = (x[c] - row.mean) * row.inverse;
    d_scale[c] += gradient[c] * n;
    d_shift[c] += gradient[c];
    sum += gradient[c] * scale[c];
    product += gradient[c] * scale[c] * n;
  }
  sum /= float(columns);
  product /= float(columns);
  for (std::int64_t c = 0; c < whole; c += kLanes) {
    const Lanes n = (lanes_at(x + c) - row.mean) * row.inverse;
    lanes_at(dx + c) = (lanes_at(gradient + c) * lanes_at(scale + c) - sum - n * product) * row.inverse;
  }
  for (std::int64_t c = whole; c < columns; ++c) {
    const float n = (x[c] - row.mean) * row.inverse;
    dx[c] = (gradient[c] * scale[c] - sum - n * product) * row.inverse;
  }
}

void for_rows(RowShape shape, const std::function<void(std::int64_t)>& work) {
  share_out(shape.threads, shape.rows, 1, [&](Range range) {
    for (std::int64_t r = range.begin; r < range.end; ++r) work(r);
  });
}

// The gradient of the mean loss is probabilities less the one-hot label, over the rows.
void subtract_label(RowShape shape, std::int32_t label, float* gradient) { gradient[label] -= 1 / float(shape.rows); }

}  // namespace

void bias_relu(RowShape shape, const float* x, const float* bias, float* y) {
  for_rows(shape,
           [=](std::int64_t r) { add_bias_row(x + r * shape.columns, bias, shape.columns, 0, y + r * shape.columns); });
}

void bias_then_relu(RowShape shape, const float* x, const float* bias, float* y) {
  constexpr float kNoFloor = -std::numeric_limits<float>::infinity();
  for_rows(shape, [=](std::int64_t r) {
    add_bias_row(x + r * shape.columns, bias, shape.columns, kNoFloor, y + r * shape.columns);
  });
  for_rows(shape, [=](std::int64_t r) { relu_row(shape.columns, y + r * shape.columns); });
}

void layer_norm(RowShape shape, LayerNormOperands& o) {
  for_rows(shape, [&](std::int64_t r) {
    const float* x = o.x.data() + r * shape.columns;
    const float mean = row_sum(x, shape.columns) / float(shape.columns);
    const float variance = row_square_sum(x, mean, shape.columns) / float(shape.columns);
    o.mean[r] = mean;
    o.inverse_deviation[r] = 1 / std::sqrt(variance + kRowsEpsilon);
    normalise_row(x, mean, o.inverse_deviation[r], o.scale.data(), o.shift.data(), shape.columns,
                  o.y.data() + r * shape.columns);
  });
}

void layer_norm_gradient(RowShape shape, LayerNormOperands& o) {
  std::vector<Buffer> d_scale(shape.threads), d_shift(std::size_t(shape.threads));
  run_team(shape.threads, [&](int rank) {
    auto &scale = d_scale[rank] = Buffer(shape.columns), &shift = d_shift[rank] = Buffer(shape.columns);
    const Range range = share(shape.rows, rank, shape.threads);
    for (std::int64_t r = range.begin; r < range.end; ++r) {
      const std::int64_t at = r * shape.columns;
      normalised_row_gradient(o.x.data() + at, o.gradient.data() + at, o.scale.data(),
                              {o.mean[r], o.inverse_deviation[r]}, shape.columns, o.dx.data() + at, scale.data(),
                              shift.data());
    }
  });
  for (std::int64_t c = 0; c < shape.columns; ++c) {
    o.scale_gradient[c] = o.shift_gradient[c] = 0;
    for (std::size_t rank = 0; rank < d_scale.size(); ++rank) {
      o.scale_gradient[c] += d_scale[rank][c];
      o.shift_gradient[c] += d_shift[rank][c];
    }
  }
}

void softmax_loss(RowShape shape, SoftmaxLossOperands& o) {
  for_rows(shape, [&](std::int64_t r) {
    const float* x = o.logits.data() + r * shape.columns;
    float* p = o.probabilities.data() + r * shape.columns;
    const float sum = row_exponentials(x, row_largest(x, shape.columns), shape.columns, p);
    scale_row(p, 1 / sum, shape.columns, p);
    o.losses[r] = -std::log(p[o.labels[r]]);
  });
}

void softmax_loss_gradient(RowShape shape, SoftmaxLossOperands& o) {
  for_rows(shape, [&](std::int64_t r) {
    float* gradient = o.gradient.data() + r * shape.columns;
    scale_row(o.probabilities.data() + r * shape.columns, 1 / float(shape.rows), shape.columns, gradient);
    subtract_label(shape, o.labels[r], gradient);
  });
}

void softmax_cross_entropy(RowShape shape, SoftmaxLossOperands& o) {
  for_rows(shape, [&](std::int64_t r) {
    const float* x = o.logits.data() + r * shape.columns;
    float* gradient = o.gradient.data() + r * shape.columns;
    const float largest = row_largest(x, shape.columns);
    const float sum = row_exponentials(x, largest, shape.columns, gradient);
    const std::int32_t label = o.labels[r];
    o.losses[r] = std::log(sum) + largest - x[label];
    scale_row(gradient, 1 / (sum * float(shape.rows)), shape.columns, gradient);
    subtract_label(shape, label, gradient);
  });
}

void softmax_cross_entropy_in_passes(RowShape shape, SoftmaxLossOperands& o) {
  std::vector<float> largest(shape.rows), sums(std::size_t(shape.rows));
  const auto x = [&](std::int64_t r) { return o.logits.data() + r * shape.columns; };
  const auto p = [&](std::int64_t r) { return o.probabilities.data() + r * shape.columns; };
  for_rows(shape, [&](std::int64_t r) { largest[r] = row_largest(x(r), shape.columns); });
  for_rows(shape, [&](std::int64_t r) { row_exponentials(x(r), largest[r], shape.columns, p(r)); });
  for_rows(shape, [&](std::int64_t r) { sums[r] = row_sum(p(r), shape.columns); });
  for_rows(shape, [&](std::int64_t r) { scale_row(p(r), 1 / sums[r], shape.columns, p(r)); });
  for_rows(shape, [&](std::int64_t r) { o.losses[r] = -std::log(p(r)[o.labels[r]]); });
  softmax_loss_gradient(shape, o);
}

}  // namespace mlsim::kernels
