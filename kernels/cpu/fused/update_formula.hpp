// The updates as formulas: their constants, and the slow reference in float64.
#pragma once

#include <vector>

#include "kernels/cpu/fused/update.hpp"

namespace mlsim::kernels {

// The defaults of torch.optim, apex and the papers; any other values take the same time.
inline constexpr float kMomentum = 0.9f, kDecay = 1e-4f;
inline constexpr float kFirstMoment = 0.9f, kSecondMoment = 0.999f, kAdamEpsilon = 1e-8f;
// Bias corrections 1 - beta^t of step 1000, far enough from the first.
inline constexpr float kFirstCorrection = 1.0f, kSecondCorrection = 0.632304575f;
inline constexpr double kTrust = 1e-3;  // of LARS: You et al., arXiv:1708.03888

/// LARS: trust * |w| / (|g| + decay * |w|). LAMB: |w| / |step| (You et al., arXiv:1904.00962). 1 for the others, and
/// where a norm is 0.
double norm_rate(UpdateRule rule, double weight_norm, double other_norm);

struct ParameterState {
  double weight, gradient, first, second;
};
/// Of one tensor: its weights after a step.
std::vector<double> updated(UpdateRule rule, const std::vector<ParameterState>& tensor);

}  // namespace mlsim::kernels
