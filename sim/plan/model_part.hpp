// A `ModelPart` is what one rank computes of a model: the splits that a parallelism asks for, one after the other, and
// the stages of a pipeline.
#pragma once

#include <optional>

#include "sim/namespace.hpp"
#include "sim/options/options.hpp"
#include "topologies/cluster/cluster.hpp"
#include "workloads/lowering/lowering.hpp"
#include "workloads/pipeline/pipeline.hpp"

namespace mlsim::sim {

struct ModelPart {
  ShardedModel sharded;                  // of all stages of a pipeline together
  std::optional<PipelinePlan> pipeline;  // empty where there is one stage
};

/// Says whether two parts of one workload are computed alike.
bool same_part(const ModelPart& a, const ModelPart& b);

/// A part is cut from these, besides the step. They refer to values that must outlive the source.
struct PartSource {
  const Model& model;  // the whole
  const AcceleratorSpec& accelerator;
  const ParallelismOptions& options;
  bool fits = false;  // as its rate is given, it ran: tables are placed whatever room there is
};

/// Cuts a sharded model into stages: by FLOP as GPipe does, with other schedules evenly where blocks are repeated, else
/// by the data sheet's rates of the accelerator for the step's micro-batches. Throws Infeasible where it cannot be.
ModelPart staged(ShardedModel sharded, const PartSource& source, const StepPlan& step);

/// Returns the part for a step. Throws Infeasible where the model cannot be split so, with the nearest length of the
/// axis that works on as many accelerators.
ModelPart split_model(const PartSource& source, const StepPlan& step);

/// Serves to look around: the part is empty where the model cannot be split so.
std::optional<ModelPart> possible_split(const PartSource& source, const StepPlan& step);

}  // namespace mlsim::sim
