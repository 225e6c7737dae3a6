// A step is laid out here: formats, optimizer, buckets and splits, as asked or as is usual.
#pragma once

#include <string>

#include "sim/namespace.hpp"
#include "sim/plan/request.hpp"
#include "sim/plan/software.hpp"
#include "workloads/lowering/optimizer.hpp"
#include "workloads/lowering/step_plan.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

/// Returns the least step of `model` on `cluster`, with one sample in each micro-batch: which batch it can have follows
/// from how it splits the model. Throws InputError and Infeasible.
StepPlan choose_step(const PredictRequest& request, const Model& model, const Cluster& cluster,
                     const Software& software);

/// A recipe trains with the optimizer that its name says, else with the family's usual one.
Optimizer recipe_optimizer(const std::string& recipe, ModelFamily family);

}  // namespace mlsim::sim
