#include "kernels/cpu/fused/stream.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cpu/framework/lanes.hpp"
#include "kernels/cpu/framework/team.hpp"

namespace mlsim::kernels {
namespace {

MLSIM_VECTORISED float dot(const float* x, const float* w, std::int64_t n) {
  const std::int64_t whole = n / kLanes * kLanes;
  Lanes sum{};
  for (std::int64_t i = 0; i < whole; i += kLanes) sum += lanes_at(x + i) * lanes_at(w + i);
  float total = sum_of(sum);
  for (std::int64_t i = whole; i < n; ++i) total += x[i] * w[i];
  return total;
}

MLSIM_VECTORISED void add(float a, const float* x, std::int64_t n, float* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] += a * x[i];
}

float loss(float logit, float label) {
  return std::max(logit, 0.0f) - logit * label + std::log1p(std::exp(-std::abs(logit)));
}
float sigmoid(float logit) { return 1 / (1 + std::exp(-logit)); }

// A thread takes so many logits at once: fewer take less than a team's start.
constexpr std::int64_t kGrain = 4096;

}  // namespace

LogisticOperands::LogisticOperands(RowShape shape, std::uint64_t seed)
    : features(random_buffer(shape.elements(), seed)),
      labels(shape.rows),
      weights(random_buffer(shape.columns, seed + 1, -0.1f, 0.1f)),
      gradient(shape.columns),
      logits(shape.rows),
      losses(shape.rows),
      logit_gradient(shape.rows) {
  RandomNumbers numbers(seed + 2);
  for (float& label : labels) label = float(numbers.below(2));
}

void sigmoid_loss(const float* logits, const float* labels, std::int64_t count, float* losses, int threads) {
  const auto work = [=](Range range) {
    for (std::int64_t i = range.begin; i < range.end; ++i) losses[i] = loss(logits[i], labels[i]);
  };
  count <= kGrain ? work({0, count}) : share_out(threads, count, kGrain, work);
}

void sigmoid_loss_gradient(const float* logits, const float* labels, std::int64_t count, float* gradient, int threads) {
  const auto work = [=](Range range) {
    for (std::int64_t i = range.begin; i < range.end; ++i)
      gradient[i] = (sigmoid(logits[i]) - labels[i]) / float(count);
  };
  count <= kGrain ? work({0, count}) : share_out(threads, count, kGrain, work);
}

void logistic_step(RowShape shape, float rate, LogisticOperands& o) {
  std::vector<std::vector<float>> parts(shape.threads);
  run_team(shape.threads, [&](int rank) {
    auto& part = parts[rank];
    part.assign(shape.columns, 0);
    const Range range = share(shape.rows, rank, shape.threads);
    for (std::int64_t r = range.begin; r < range.end; ++r) {
      const float* row = o.features.data() + r * shape.columns;
      o.logits[r] = dot(row, o.weights.data(), shape.columns);
      o.losses[r] = loss(o.logits[r], o.labels[r]);
      o.logit_gradient[r] = (sigmoid(o.logits[r]) - o.labels[r]) / float(shape.rows);
      add(o.logit_gradient[r], row, shape.columns, part.data());
    }
  });
  std::fill(o.gradient.begin(), o.gradient.end(), 0.0f);
  for (const auto& part : parts) add(1, part.data(), shape.columns, o.gradient.data());
  add(-rate, o.gradient.data(), shape.columns, o.weights.data());
}

}  // namespace mlsim::kernels
