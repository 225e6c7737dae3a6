// Weight updates over many tensors in one pass, and their twins that take one operator and one tensor at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/cpu/framework/buffer.hpp"

namespace mlsim::kernels {

enum class UpdateRule { sgd, momentum, lars, adam, lamb };

/// fp32 parameters in tensors of about equal size, each with its gradient and the optimizer's state.
struct Tensors {
  Tensors(std::int64_t parameters, std::int64_t count, std::uint64_t seed);
  struct Slice {
    std::int64_t begin, end;
  };
  std::vector<Slice> slices;
  Buffer weights, gradients, first, second, step;  // momentum or first moment; second moment; LAMB's step
  Buffer scratch;                                  // of the unfused twins
  std::vector<double> rates;                       // by tensor: what the norms make of the learning rate
  std::int64_t parameters() const { return weights.size(); }
};

/// What of an update a kernel does: LARS and LAMB need norms of whole tensors before the last pass.
enum class UpdatePart { norms, update, whole };

/// Momentum 0.9, weight decay 1e-4, moments 0.9 and 0.999 after the bias correction of a first step, rates as
/// kLearningRate.
inline constexpr float kLearningRate = 0.1f;
void update_fused(UpdateRule rule, UpdatePart part, Tensors& tensors, int threads);
/// The same result by one elementwise operator after the other, tensor by tensor.
void update_in_operators(UpdateRule rule, Tensors& tensors, int threads);

/// Of the largest element: the weights that one update gives against the same in float64.
double update_error(UpdateRule rule, Tensors& tensors, const std::function<void()>& run);

}  // namespace mlsim::kernels
