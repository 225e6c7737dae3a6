#include "kernels/cpu/fused/update_formula.hpp"

#include <cmath>
#include <stdexcept>

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

}  // namespace mlsim::kernels
