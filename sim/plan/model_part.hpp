// What one rank computes of a model: the splits that a parallelism asks for, one after the other.
#pragma once

#include <optional>

#include "sim/namespace.hpp"
#include "sim/plan/plan.hpp"
#include "workloads/pipeline/pipeline.hpp"

namespace mlsim::sim {

/// --parallelism with what the settings say about its axes: batch_norm_group takes ranks from the data axis. Throws
/// InputError and Infeasible.
ParallelismRequest asked_parallelism(const PredictRequest& request, const Model& model, int ranks);

/// The part of one rank before it is cut into stages. Throws Infeasible where the model cannot be split so.
ShardedModel model_part(const Plan& plan);

/// How the part is cut into stages: by FLOP as GPipe does, with other schedules by the data sheet's rates of the
/// accelerator; empty where there is one stage.
/// Throws Infeasible where it cannot be.
std::optional<PipelinePlan> pipeline_plan(const Plan& plan);

/// Both into the plan. Throws Infeasible with the nearest length of the axis that works on the plan's accelerators.
void split(Plan& plan);

/// The plan's question with another parallelism, split so, for looking around: without the cluster's graph, which is
/// megabytes of a large one. Empty where the model cannot be split so.
std::optional<Plan> split_otherwise(const Plan& plan, const Parallelism& parallelism);

}  // namespace mlsim::sim
