// These weight updates take many tensors in one pass; their twins take one operator and one tensor at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/kernel/update_rule.hpp"
#include "kernels/cpu/framework/buffer.hpp"
#include "kernels/update_constants.hpp"

namespace mlsim::kernels {

/// These formulas of the updates are the slow reference in float64. norm_rate() returns, for LARS, trust * |w| / (|g| +
/// decay * |w|); for LAMB |w| / |step| (You et al., arXiv:1904.00962); 1 for the others, and where a norm is 0.
double norm_rate(UpdateRule rule, double weight_norm, double other_norm);

/// A state is one parameter's. `first` is a velocity, a first moment or a mean of weights, `second` a second moment or
/// a sum of squares.
struct ParameterState {
  double weight, gradient, first, second;
};
/// Returns one tensor after a step.
std::vector<ParameterState> updated(UpdateRule rule, const std::vector<ParameterState>& tensor);

/// Tensors are fp32 parameters in tensors of about equal size, each with its gradient and the optimizer's state.
struct Tensors {
  Tensors(std::int64_t parameters, std::int64_t count, std::uint64_t seed);
  struct Slice {
    std::int64_t begin, end;
  };
  std::vector<Slice> slices;
  Buffer weights, gradients, first, second, step;  // those of ParameterState, and LAMB's step
  Buffer scratch;                                  // what the unfused twins keep between kernels
  std::vector<double> rates;                       // by tensor: what the norms make of the learning rate
  std::int64_t parameters() const { return weights.size(); }
};

/// LARS's rules and LAMB's need norms of whole tensors before they change weights.
bool takes_norms_of_gradients(UpdateRule rule);
bool takes_norms_of_steps(UpdateRule rule);

/// Throws std::logic_error for UpdateRule::other.
void update_fused(UpdateRule rule, Tensors& tensors, int threads);
/// Computes the same by one elementwise operator after the other, tensor by tensor. Throws std::logic_error for rules
/// that no probe runs.
void update_in_operators(UpdateRule rule, Tensors& tensors, int threads);

/// Returns the largest error of the weights and the state that one update leaves, against the same in float64.
double update_error(UpdateRule rule, Tensors& tensors, const std::function<void()>& run);

}  // namespace mlsim::kernels
