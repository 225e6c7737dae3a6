// A step is laid out here: formats, optimizer, buckets and exchanges, and how unevenly its samples fall.
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

/// Returns the compute time of the slowest rank over that of the mean one: 1 + s z / sqrt(b), where the work of a
/// sample spreads by the fraction s = `spread` (Model::sample_spread), a rank has b of them a step and z is the largest
/// of as many normals as there are ranks. 1 where all samples are alike, or padded to one size.
double sample_skew(double spread, const StepPlan& step);

}  // namespace mlsim::sim
