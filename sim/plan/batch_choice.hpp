// The global batch is chosen here: as asked, or what fits and converges.
#pragma once

#include <optional>
#include <string>

#include "sim/namespace.hpp"
#include "sim/plan/request.hpp"
#include "workloads/lowering/step_plan.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

struct AskedBatch {
  double size = 0;
  std::string note;  // what was rounded, and why; empty where nothing was
};

/// Returns the global batch that a question asks for, rounded to the nearest that divides over the ranks and into the
/// micro-batches of `step`; empty where the question leaves it open. Throws InputError for what is no batch, and
/// Infeasible for one below a sample for each that takes some. A run of given rate took place, so its batch need not
/// divide.
std::optional<AskedBatch> asked_batch(const PredictRequest& request, const StepPlan& step);

/// Returns the usual global batch where a rank's part of the model has room for `most` samples: these, for images at
/// most 256, for others at most one step an epoch, and no more than the largest batch with known convergence or than
/// the samples a rank that the recipe tells. `recipe` is empty where none is known.
double usual_batch(const Model& model, const std::string& recipe, const StepPlan& step, int most);

/// Gives `step` another global batch. Throws Infeasible where a rank's batch does not divide into the micro-batches,
/// with the nearest that do.
StepPlan with_batch(StepPlan step, double global_batch);

/// Says what a rank's part of the model takes: "4 samples per accelerator", "4 samples on every 8 accelerators".
std::string samples_text(const StepPlan& step);

}  // namespace mlsim::sim
