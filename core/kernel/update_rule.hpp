// An UpdateRule says how one pass of an optimizer changes parameters.
#pragma once

#include <cstdint>

#include "core/text/words.hpp"

namespace mlsim {

/// LARS and LAMB first take norms of whole tensors. Their last passes are no rules of their own: LARS's is momentum's
/// with a rate for each tensor, LAMB's is SGD's on the step of its first pass.
enum class UpdateRule {
  other,         // kernels of a loop over tensors, and whatever moves the bytes of no rule below
  sgd,           // weight -= rate * gradient
  momentum,      // velocity = momentum * velocity + gradient; weight -= rate * velocity
  nesterov,      // weight -= rate * (gradient + momentum * velocity)
  averaged_sgd,  // SGD, and a mean of the weights beside them
  adagrad,       // weight -= rate * gradient / sqrt(sum of squares)
  adam,
  lars_norms,  // norms of weights and gradients
  lars,        // norms and update
  lamb_norms,  // moments, step, norms of weights and steps
  lamb,        // norms and update
};

inline Words<UpdateRule> words(UpdateRule) {
  return {"update rule",
          {"other", "sgd", "momentum", "nesterov", "averaged_sgd", "adagrad", "adam", "lars_norms", "lars",
           "lamb_norms", "lamb"}};
}

/// Returns the rule of one launch over all tensors by the bytes that it moves for a parameter
/// (workloads/lowering/optimizer.hpp). That rule is meant where the text of a kernel tells none: profiles of before
/// 2026-11-22 tell none.
UpdateRule usual_rule(std::int64_t bytes_per_parameter, std::int64_t launches);

}  // namespace mlsim
