// A `Plan` is a question with every blank filled in: machine, model, software, batch, and the step's layout.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/exchange/measured_collective.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/model_part.hpp"
#include "sim/plan/request.hpp"
#include "sim/plan/software.hpp"
#include "topologies/cluster/cluster.hpp"
#include "workloads/lowering/step_plan.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

/// It holds the values of make_plan's chain. Plans of one question share the cluster, whose graph can be megabytes.
struct Plan {
  std::shared_ptr<const Cluster> cluster;
  Model model;  // the whole
  Software software;
  StepPlan step;
  std::shared_ptr<const ModelPart> part;  // of the model, as `step` has it
  std::shared_ptr<const Cluster> sound;   // without slow and failed links, where `cluster` has some; else null
  MeasuredCollectives measured;           // of the sound cluster; none with parameter servers
  LinkEfficiency efficiency;
  Options options;
  std::vector<std::string> notes;  // what was filled in otherwise than a reader may think, one sentence each

  double global_batch() const { return step.batch_per_accelerator * step.parallelism.batch_ranks(); }
};

/// An `AskedSystem` is built for a question: as it is, and where it has slow or failed links, without them, else null.
struct AskedSystem {
  std::shared_ptr<const Cluster> cluster, sound;
};
AskedSystem asked_system(const PredictRequest& request);

/// Fills in the blanks. Throws InputError (wrong words and numbers) and Infeasible (does not divide, does not fit).
Plan make_plan(const PredictRequest& request);
/// Plans on the system that another plan of the same question has built: a large one takes a tenth of a second.
Plan make_plan(const PredictRequest& request, AskedSystem system);

/// Plans whether or not it fits the memory: software that a question leaves open may need less.
Plan plan_of_any_size(const PredictRequest& request);
/// Plans on `built`, which is built first where it is empty.
Plan plan_of_any_size(const PredictRequest& request, AskedSystem& built);

/// Throws Infeasible where the plan does not fit.
void check_memory(const Plan& plan);

}  // namespace mlsim::sim
