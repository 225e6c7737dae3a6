// The global batch is chosen here: as asked, or what fits and converges.
#pragma once

#include <optional>
#include <string>

#include "sim/namespace.hpp"
#include "sim/plan/request.hpp"
#include "workloads/lowering/step_plan.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

/// Returns the global batch that a question asks for; empty where it leaves that open. Throws InputError for what is no
/// batch, and Infeasible where it does not divide over the ranks, with the nearest that does. A run of given rate took
/// place, so its batch need not divide.
std::optional<double> asked_batch(const PredictRequest& request, const Parallelism& parallelism);

/// Returns the usual global batch where a rank's part of the model has room for `most` samples: these, for images at
/// most 256, for others at most one step an epoch, and no more than the largest batch with known convergence or than the
/// samples a rank that the recipe tells. `recipe` is empty where none is known.
double usual_batch(const Model& model, const std::string& recipe, const StepPlan& step, int most);

/// Gives `step` another global batch. Throws Infeasible where a rank's batch does not divide into the micro-batches,
/// with the nearest that do.
StepPlan with_batch(StepPlan step, double global_batch);

/// Says what a rank's part of the model takes: "4 samples per accelerator", "4 samples on every 8 accelerators".
std::string samples_text(const StepPlan& step);

}  // namespace mlsim::sim
