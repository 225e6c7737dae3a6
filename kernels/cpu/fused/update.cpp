#include "kernels/cpu/fused/update.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/framework/cpu_operation.hpp"
#include "kernels/cpu/framework/lanes.hpp"
#include "kernels/cpu/framework/team.hpp"
#include "kernels/cpu/fused/update_formula.hpp"

namespace mlsim::kernels {
namespace {

// A stretch of one tensor.
struct Piece {
  float *weights, *gradients, *first, *second, *step;
  std::int64_t count;
};

Piece piece_of(Tensors& t, std::int64_t begin, std::int64_t end) {
  return {t.weights.data() + begin, t.gradients.data() + begin, t.first.data() + begin,
          t.second.data() + begin,  t.step.data() + begin,      end - begin};
}

MLSIM_VECTORISED void sgd(Piece p) {
  for (std::int64_t i = 0; i < p.count; ++i) p.weights[i] -= kLearningRate * (p.gradients[i] + kDecay * p.weights[i]);
}

// momentum, and LARS with a rate from the norms.
MLSIM_VECTORISED void momentum(Piece p, float rate) {
  for (std::int64_t i = 0; i < p.count; ++i) {
    const float velocity = kMomentum * p.first[i] + rate * (p.gradients[i] + kDecay * p.weights[i]);
    p.first[i] = velocity;
    p.weights[i] -= kLearningRate * velocity;
  }
}

MLSIM_VECTORISED void adam(Piece p) {
  for (std::int64_t i = 0; i < p.count; ++i) {
    const float g = p.gradients[i];
    const float mean = kFirstMoment * p.first[i] + (1 - kFirstMoment) * g;
    const float square = kSecondMoment * p.second[i] + (1 - kSecondMoment) * g * g;
    p.first[i] = mean;
    p.second[i] = square;
    p.weights[i] -= kLearningRate * (mean / kFirstCorrection) / (std::sqrt(square / kSecondCorrection) + kAdamEpsilon);
  }
}

MLSIM_VECTORISED void lamb_step(Piece p) {
  for (std::int64_t i = 0; i < p.count; ++i) {
    const float g = p.gradients[i];
    const float mean = kFirstMoment * p.first[i] + (1 - kFirstMoment) * g;
    const float square = kSecondMoment * p.second[i] + (1 - kSecondMoment) * g * g;
    p.first[i] = mean;
    p.second[i] = square;
    p.step[i] =
        (mean / kFirstCorrection) / (std::sqrt(square / kSecondCorrection) + kAdamEpsilon) + kDecay * p.weights[i];
  }
}

MLSIM_VECTORISED void descend(Piece p, float rate) {
  for (std::int64_t i = 0; i < p.count; ++i) p.weights[i] -= rate * p.step[i];
}

MLSIM_VECTORISED double square_sum(const float* x, std::int64_t count) {
  const std::int64_t whole = count / kLanes * kLanes;
  Lanes sum{};
  for (std::int64_t i = 0; i < whole; i += kLanes) sum += lanes_at(x + i) * lanes_at(x + i);
  double total = double(sum_of(sum));
  for (std::int64_t i = whole; i < count; ++i) total += double(x[i] * x[i]);
  return total;
}

// `work(rank, tensor, begin, end)` on all pieces of all tensors, of which each thread has an equal share.
void for_pieces(const Tensors& t, int threads,
                const std::function<void(int, std::size_t, std::int64_t, std::int64_t)>& work) {
  run_team(threads, [&](int rank) {
    const Range range = share(t.parameters(), rank, threads, kLanes);
    for (std::size_t s = 0; s < t.slices.size(); ++s) {
      const std::int64_t begin = std::max(t.slices[s].begin, range.begin), end = std::min(t.slices[s].end, range.end);
      if (begin < end) work(rank, s, begin, end);
    }
  });
}

void set_rates(UpdateRule rule, Tensors& t, int threads) {
  const std::size_t count = t.slices.size();
  std::vector<double> weights(count * std::size_t(threads)), others(weights.size());
  for_pieces(t, threads, [&](int rank, std::size_t s, std::int64_t begin, std::int64_t end) {
    const Piece p = piece_of(t, begin, end);
    if (rule == UpdateRule::lamb) lamb_step(p);
    const std::size_t at = std::size_t(rank) * count + s;
    weights[at] = square_sum(p.weights, p.count);
    others[at] = square_sum(rule == UpdateRule::lamb ? p.step : p.gradients, p.count);
  });
  for (std::size_t s = 0; s < count; ++s) {
    double weight = 0, other = 0;
    for (std::size_t at = s; at < weights.size(); at += count) {
      weight += weights[at];
      other += others[at];
    }
    t.rates[s] = norm_rate(rule, std::sqrt(weight), std::sqrt(other));
  }
}

void apply_update(UpdateRule rule, Tensors& t, int threads) {
  for_pieces(t, threads, [&](int, std::size_t s, std::int64_t begin, std::int64_t end) {
    const Piece p = piece_of(t, begin, end);
    switch (rule) {
      case UpdateRule::sgd: sgd(p); break;
      case UpdateRule::momentum: momentum(p, 1); break;
      case UpdateRule::lars: momentum(p, float(t.rates[s])); break;
      case UpdateRule::adam: adam(p); break;
      case UpdateRule::lamb: descend(p, kLearningRate * float(t.rates[s])); break;
    }
  });
}

}  // namespace

Tensors::Tensors(std::int64_t parameters, std::int64_t count, std::uint64_t seed)
    : weights(random_buffer(parameters, seed)),
      gradients(random_buffer(parameters, seed + 1)),
      first(random_buffer(parameters, seed + 2)),
      second(random_buffer(parameters, seed + 3, 0, 1)),
      step(parameters),
      scratch(parameters),
      rates(std::size_t(count), 1.0) {
  for (std::int64_t s = 0; s < count; ++s) slices.push_back({parameters * s / count, parameters * (s + 1) / count});
}

void update_fused(UpdateRule rule, UpdatePart part, Tensors& t, int threads) {
  const bool has_norms = rule == UpdateRule::lars || rule == UpdateRule::lamb;
  if (has_norms && part != UpdatePart::update) set_rates(rule, t, threads);
  if (part != UpdatePart::norms) apply_update(rule, t, threads);
}

double update_error(UpdateRule rule, Tensors& t, const std::function<void()>& run) {
  const Buffer weights = copy_of(t.weights), first = copy_of(t.first), second = copy_of(t.second);
  run();
  ErrorMeter meter;
  for (const auto& slice : t.slices) {
    std::vector<ParameterState> before;
    for (std::int64_t i = slice.begin; i < slice.end; ++i)
      before.push_back({double(weights[i]), double(t.gradients[i]), double(first[i]), double(second[i])});
    const auto after = updated(rule, before);
    for (std::size_t i = 0; i < after.size(); ++i)
      meter.compare(double(t.weights[slice.begin + std::int64_t(i)]), after[i]);
  }
  return meter.largest();
}

}  // namespace mlsim::kernels
