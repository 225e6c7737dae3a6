// These formulas of the updates are the slow reference in float64.
#pragma once

#include <vector>

#include "kernels/cpu/fused/update.hpp"

namespace mlsim::kernels {

/// Returns, for LARS, trust * |w| / (|g| + decay * |w|); for LAMB |w| / |step| (You et al., arXiv:1904.00962); 1 for
/// the others, and where a norm is 0.
double norm_rate(UpdateRule rule, double weight_norm, double other_norm);

/// A state is one parameter's. `first` is a velocity, a first moment or a mean of weights, `second` a second moment or
/// a sum of squares.
struct ParameterState {
  double weight, gradient, first, second;
};
/// Returns one tensor after a step.
std::vector<ParameterState> updated(UpdateRule rule, const std::vector<ParameterState>& tensor);

}  // namespace mlsim::kernels
