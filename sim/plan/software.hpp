// A `Software` is what a step runs with: whose terms hold for it, and what its gradients go through.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/profile.hpp"
#include "sim/namespace.hpp"
#include "sim/options/parsed_anchor.hpp"
#include "sim/parameter_server/server_plan.hpp"
#include "sim/plan/request.hpp"
#include "topologies/cluster/cluster.hpp"
#include "workloads/convergence/recipe_target.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::sim {

/// choose_stack() says which software stack's terms hold for a question: what it adds to a step whatever the batch.
/// Returns the terms of stack `asked` on `accelerator` for a workload of `family` ("transformer", ...). In this order:
/// the stack of that name; the one whose name `asked` goes on from ("mlperf-v0.7" for "mlperf-v0.7-pytorch"); the first
/// of the profile, which is the default where nothing is asked, or the first that is not of a later year than
/// `last_year`. Among equal names terms of the workload's family come before those of any family. Terms of another stack
/// say so in their source. Where no profile has terms for the accelerator: those of that stack on another accelerator,
/// else no fixed time, and of a GPU the overlap of another's first stack.
///
/// Throws InputError with the nearest name where neither a profile nor an anchor knows the stack.
StackTerm choose_stack(const ProfileRefs& profiles, const Evidence& anchors, const std::string& accelerator,
                       const std::string& family, const std::string& asked, std::optional<int> last_year = {});

/// Returns the target that the user names instead of the recipe's own, if any.
std::optional<AskedTarget> asked_target(const JobOptions& job);

struct Software {
  std::string recipe;                 // empty where the workload has no convergence data
  bool to_target = false;             // the recipe's epochs are the model's, as its network is or as the user says
  std::optional<ServerPlan> servers;  // empty where ranks exchange gradients among themselves
  StackTerm stack;                    // with servers the stack's terms for these, where a profile has them
};

/// Chooses as asked, or as is usual for the model on the cluster's accelerators. Throws InputError and Infeasible.
Software choose_software(const PredictRequest& request, const Model& model, const Cluster& cluster);

}  // namespace mlsim::sim
