// The global batch: as asked, or what fits and converges.
#pragma once

#include <string>

#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"

namespace mlsim::sim {

/// Of a plan whose model is split. Throws InputError for what is no batch, and Infeasible where it does not divide over
/// the ranks, with the nearest that does.
double choose_batch(const PredictRequest& request, const Plan& plan);

/// What a rank's part of the model takes: "4 samples per accelerator", "4 samples on every 8 accelerators".
std::string samples_text(const StepPlan& step);

/// Throws Infeasible where a rank's batch does not divide into the micro-batches, with the nearest that do.
void check_micro_batches(const StepPlan& step);

}  // namespace mlsim::sim
