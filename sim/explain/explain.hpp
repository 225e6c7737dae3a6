// explain() says why a step takes as long as it does, and what would make it shorter.
#pragma once

#include "core/result/explanation.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/request.hpp"

namespace mlsim::sim {

/// Throws InputError for what is about many steps or the job where one step is looked at, with the ranks that are known
/// to be slow. Options of goodput pass where it is said.
void check_of_one_step(const PredictRequest& request, bool says_goodput = false);

/// Takes apart the step that predict() gives. Every what-if keeps the kernel speed that anchors gave for the real
/// machine, the algorithms that were chosen for it, and the gradients that Horovod fused. Throws as predict() does, and
/// InputError for options about many steps or the job.
Explanation explain(const PredictRequest& asked);

}  // namespace mlsim::sim
