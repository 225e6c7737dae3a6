#include "kernels/cpu/fused/update.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/cpu/framework/cpu_operation.hpp"
#include "kernels/cpu/framework/lanes.hpp"
#include "kernels/cpu/framework/team.hpp"

namespace mlsim::kernels {
namespace {

constexpr double kRate = kUpdate.rate, kDecay = kUpdate.decay, kMomentum = kUpdate.momentum;
constexpr double kBeta1 = kUpdate.beta1, kBeta2 = kUpdate.beta2, kUpdateEpsilon = kUpdate.epsilon;

double decayed_gradient(const ParameterState& p) { return p.gradient + kDecay * p.weight; }

double first_moment(const ParameterState& p) { return kBeta1 * p.first + (1 - kBeta1) * p.gradient; }
double second_moment(const ParameterState& p) { return kBeta2 * p.second + (1 - kBeta2) * p.gradient * p.gradient; }

double adam_step(const ParameterState& p) {
  const double mean = first_moment(p) / double(kUpdate.mean_correction);
  return mean / (std::sqrt(second_moment(p) / double(kUpdate.square_correction)) + kUpdateEpsilon);
}

double lamb_step(const ParameterState& p) { return adam_step(p) + kDecay * p.weight; }

// `rate` is what the norms of the tensor make of the learning rate.
ParameterState updated(UpdateRule rule, double rate, ParameterState p) {
  const ParameterState before = p;
  const double gradient = decayed_gradient(p);
  switch (rule) {
    case UpdateRule::sgd: p.weight -= kRate * gradient; break;
    case UpdateRule::momentum:
    case UpdateRule::lars:
      p.first = kMomentum * p.first + rate * gradient;
      p.weight -= kRate * p.first;
      break;
    case UpdateRule::nesterov:
      p.first = kMomentum * p.first + gradient;
      p.weight -= kRate * (gradient + kMomentum * p.first);
      break;
    case UpdateRule::averaged_sgd:
      p.weight -= kRate * gradient;
      p.first += double(kUpdate.average_share) * (p.weight - p.first);
      break;
    case UpdateRule::adagrad:
      p.second += p.gradient * p.gradient;
      p.weight -= kRate * p.gradient / (std::sqrt(p.second) + kUpdateEpsilon);
      break;
    case UpdateRule::adam:
    case UpdateRule::lamb:
      p.weight -= kRate * rate * (rule == UpdateRule::lamb ? lamb_step(before) : adam_step(before));
      p.first = first_moment(before);
      p.second = second_moment(before);
      break;
    case UpdateRule::lars_norms:
    case UpdateRule::lamb_norms:
    case UpdateRule::other: throw std::logic_error("no rule for weights");
  }
  return p;
}

// A piece is a stretch of one tensor.
struct Piece {
  float *weights, *gradients, *first, *second, *step;
  std::int64_t count;
};

Piece piece_of(Tensors& t, std::int64_t begin, std::int64_t end) {
  return {t.weights.data() + begin, t.gradients.data() + begin, t.first.data() + begin,
          t.second.data() + begin,  t.step.data() + begin,      end - begin};
}

MLSIM_VECTORISED void sgd(Piece p) {
  for (std::int64_t i = 0; i < p.count; ++i)
    p.weights[i] -= kUpdate.rate * (p.gradients[i] + kUpdate.decay * p.weights[i]);
}

// This rule is momentum, and LARS with a rate from the norms.
MLSIM_VECTORISED void momentum(Piece p, float rate) {
  for (std::int64_t i = 0; i < p.count; ++i) {
    const float velocity = kUpdate.momentum * p.first[i] + rate * (p.gradients[i] + kUpdate.decay * p.weights[i]);
    p.first[i] = velocity;
    p.weights[i] -= kUpdate.rate * velocity;
  }
}

MLSIM_VECTORISED void nesterov(Piece p) {
  for (std::int64_t i = 0; i < p.count; ++i) {
    const float gradient = p.gradients[i] + kUpdate.decay * p.weights[i];
    const float velocity = kUpdate.momentum * p.first[i] + gradient;
    p.first[i] = velocity;
    p.weights[i] -= kUpdate.rate * (gradient + kUpdate.momentum * velocity);
  }
}

MLSIM_VECTORISED void averaged_sgd(Piece p) {
  for (std::int64_t i = 0; i < p.count; ++i) {
    const float weight = p.weights[i] - kUpdate.rate * (p.gradients[i] + kUpdate.decay * p.weights[i]);
    p.weights[i] = weight;
    p.first[i] += kUpdate.average_share * (weight - p.first[i]);
  }
}

MLSIM_VECTORISED void adagrad(Piece p) {
  for (std::int64_t i = 0; i < p.count; ++i) {
    const float squares = p.second[i] + p.gradients[i] * p.gradients[i];
    p.second[i] = squares;
    p.weights[i] -= kUpdate.rate * p.gradients[i] / (std::sqrt(squares) + kUpdate.epsilon);
  }
}

MLSIM_VECTORISED void adam(Piece p) {
  for (std::int64_t i = 0; i < p.count; ++i) {
    const float g = p.gradients[i];
    const float mean = kUpdate.beta1 * p.first[i] + (1 - kUpdate.beta1) * g;
    const float square = kUpdate.beta2 * p.second[i] + (1 - kUpdate.beta2) * g * g;
    p.first[i] = mean;
    p.second[i] = square;
    p.weights[i] -= kUpdate.rate * (mean / kUpdate.mean_correction) /
                    (std::sqrt(square / kUpdate.square_correction) + kUpdate.epsilon);
  }
}

MLSIM_VECTORISED void lamb_step(Piece p) {
  for (std::int64_t i = 0; i < p.count; ++i) {
    const float g = p.gradients[i];
    const float mean = kUpdate.beta1 * p.first[i] + (1 - kUpdate.beta1) * g;
    const float square = kUpdate.beta2 * p.second[i] + (1 - kUpdate.beta2) * g * g;
    p.first[i] = mean;
    p.second[i] = square;
    p.step[i] = (mean / kUpdate.mean_correction) / (std::sqrt(square / kUpdate.square_correction) + kUpdate.epsilon) +
                kUpdate.decay * p.weights[i];
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

// Runs `work(rank, tensor, begin, end)` on all pieces of all tensors, of which each thread has an equal share.
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
    if (takes_norms_of_steps(rule)) lamb_step(p);
    const std::size_t at = std::size_t(rank) * count + s;
    weights[at] = square_sum(p.weights, p.count);
    others[at] = square_sum(takes_norms_of_steps(rule) ? p.step : p.gradients, p.count);
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
      case UpdateRule::nesterov: nesterov(p); break;
      case UpdateRule::averaged_sgd: averaged_sgd(p); break;
      case UpdateRule::adagrad: adagrad(p); break;
      case UpdateRule::adam: adam(p); break;
      case UpdateRule::lamb: descend(p, kUpdate.rate * float(t.rates[s])); break;
      case UpdateRule::lars_norms:
      case UpdateRule::lamb_norms: break;
      case UpdateRule::other: throw std::logic_error("no rule for weights");
    }
  });
}

}  // namespace

double norm_rate(UpdateRule rule, double weight_norm, double other_norm) {
  if (weight_norm == 0 || other_norm == 0) return 1;
  if (takes_norms_of_gradients(rule)) return double(kUpdate.trust) * weight_norm / (other_norm + kDecay * weight_norm);
  return takes_norms_of_steps(rule) ? weight_norm / other_norm : 1;
}

std::vector<ParameterState> updated(UpdateRule rule, const std::vector<ParameterState>& tensor) {
  double weights = 0, others = 0;
  for (const auto& p : tensor) {
    const double other = rule == UpdateRule::lamb ? lamb_step(p) : p.gradient;
    weights += p.weight * p.weight;
    others += other * other;
  }
  const double rate = norm_rate(rule, std::sqrt(weights), std::sqrt(others));
  std::vector<ParameterState> after;
  for (const auto& p : tensor) after.push_back(updated(rule, rate, p));
  return after;
}

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

bool takes_norms_of_gradients(UpdateRule rule) { return rule == UpdateRule::lars || rule == UpdateRule::lars_norms; }
bool takes_norms_of_steps(UpdateRule rule) { return rule == UpdateRule::lamb || rule == UpdateRule::lamb_norms; }

void update_fused(UpdateRule rule, Tensors& t, int threads) {
  if (takes_norms_of_gradients(rule) || takes_norms_of_steps(rule)) set_rates(rule, t, threads);
  apply_update(rule, t, threads);
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
    for (std::size_t i = 0; i < after.size(); ++i) {
      const std::int64_t at = slice.begin + std::int64_t(i);
      meter.compare(double(t.weights[at]), after[i].weight);
      meter.compare(double(t.first[at]), after[i].first);
      meter.compare(double(t.second[at]), after[i].second);
    }
  }
  return meter.largest();
}

}  // namespace mlsim::kernels
