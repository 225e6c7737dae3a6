#include "studies/plan/plan_search.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/text/errors.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "validation/cases/cases.hpp"
#include "workloads/convergence/convergence.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::studies {
namespace {

using validation::Case;

// Names what a system is at a size, so that "dgx-h100:nodes=4" and 32 accelerators of "dgx-h100" are one; empty where
// there is none of that size.
std::string identity(const std::string& system, int accelerators) {
  try {
    const Cluster cluster = build_cluster(system, accelerators);
    const std::string& machine = cluster.machine.empty() ? cluster.name : cluster.machine;
    return machine + " " + cluster.accelerator.name + " " + std::to_string(cluster.ranks());
  } catch (const InputError&) {
    return "";
  } catch (const Infeasible&) {
    return "";
  }
}

// Tells what a published run ended at; empty where its row does not say.
std::string target_of(const Case& c) {
  if (c.options.job.recipe.empty()) return "";
  try {
    return convergence_table(load_model(c.workload).benchmark).recipe(c.options.job.recipe).target;
  } catch (const InputError&) {
    return "";
  }
}

}  // namespace

std::vector<PlanRecords::Run> PlanRecords::runs_of(const std::string& workload) {
  std::vector<Run> runs;
  for (const Case& c : validation::published_cases_of(std::string(network_name(workload)))) {
    const bool states_time = c.metric == validation::Metric::time_to_accuracy && c.relative_to.empty();
    if (states_time && c.workload == workload && !c.options.job.has_length())
      runs.push_back({identity(c.topology, c.accelerators), target_of(c), {c.id, Seconds(c.value)}});
  }
  return runs;
}

std::optional<PlanRecord> PlanRecords::of(const PlanCandidate& candidate) {
  if (candidate.request.options.job.has_length()) return std::nullopt;
  const auto [runs, fresh] = known_.try_emplace(candidate.workload);
  if (fresh) runs->second = runs_of(candidate.workload);
  if (runs->second.empty()) return std::nullopt;
  const std::string system = identity(candidate.system, candidate.accelerators);
  std::optional<PlanRecord> quickest;
  for (const Run& run : runs->second) {
    if (run.system != system || run.target != candidate.target) continue;
    if (!quickest || run.record.time < quickest->time) quickest = run.record;
  }
  return quickest;
}

}  // namespace mlsim::studies
