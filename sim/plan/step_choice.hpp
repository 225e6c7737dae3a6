// How a step is laid out: formats, optimizer, buckets and splits, as asked or as is usual.
#pragma once

#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"

namespace mlsim::sim {

/// Of a plan whose cluster, model, recipe, stack and servers are chosen; without a batch. Throws InputError and
/// Infeasible.
StepPlan choose_step(const PredictRequest& request, const Plan& plan);

}  // namespace mlsim::sim
