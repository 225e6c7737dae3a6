#include "kernels/cpu/fused/update_formula.hpp"

#include <cmath>

namespace mlsim::kernels {
namespace {

// What is taken from the weight, before the learning rate and the rate of the norms.
double step_of(UpdateRule rule, const ParameterState& p) {
  const double decayed = p.gradient + double(kDecay) * p.weight;
  if (rule == UpdateRule::sgd || rule == UpdateRule::momentum || rule == UpdateRule::lars) return decayed;
  const double beta1 = double(kFirstMoment), beta2 = double(kSecondMoment);
  const double mean = (beta1 * p.first + (1 - beta1) * p.gradient) / double(kFirstCorrection);
  const double square = (beta2 * p.second + (1 - beta2) * p.gradient * p.gradient) / double(kSecondCorrection);
  const double step = mean / (std::sqrt(square) + double(kAdamEpsilon));
  return rule == UpdateRule::lamb ? step + double(kDecay) * p.weight : step;
}

}  // namespace

double norm_rate(UpdateRule rule, double weight_norm, double other_norm) {
  if (weight_norm == 0 || other_norm == 0) return 1;
  if (rule == UpdateRule::lars) return kTrust * weight_norm / (other_norm + double(kDecay) * weight_norm);
  return rule == UpdateRule::lamb ? weight_norm / other_norm : 1;
}

std::vector<double> updated(UpdateRule rule, const std::vector<ParameterState>& tensor) {
  double weights = 0, others = 0;
  for (const auto& p : tensor) {
    const double other = rule == UpdateRule::lamb ? step_of(rule, p) : p.gradient;
    weights += p.weight * p.weight;
    others += other * other;
  }
  const double rate = norm_rate(rule, std::sqrt(weights), std::sqrt(others));
  std::vector<double> after;
  for (const auto& p : tensor) {
    double step = rate * step_of(rule, p);
    if (rule == UpdateRule::momentum || rule == UpdateRule::lars) step += double(kMomentum) * p.first;
    after.push_back(p.weight - double(kLearningRate) * step);
  }
  return after;
}

}  // namespace mlsim::kernels
