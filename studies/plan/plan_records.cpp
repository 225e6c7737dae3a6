#include "studies/plan/plan_records.hpp"

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

struct Record {
  std::string id, workload, system, target;
  Seconds time;
};

std::vector<Record> records_of(const std::string& workload) {
  std::vector<Record> records;
  for (const Case& c : validation::published_cases_of(std::string(network_name(workload)))) {
    const bool states_time = c.metric == validation::Metric::time_to_accuracy && c.relative_to.empty();
    if (states_time && c.workload == workload && !c.options.job.has_length())
      records.push_back({c.id, c.workload, identity(c.topology, c.accelerators), target_of(c), Seconds(c.value)});
  }
  return records;
}

}  // namespace

void add_records(std::vector<PlanCandidate>& candidates) {
  std::map<std::string, std::vector<Record>> known;
  for (PlanCandidate& candidate : candidates) {
    if (candidate.request.options.job.has_length()) continue;
    const auto [records, fresh] = known.try_emplace(candidate.workload);
    if (fresh) records->second = records_of(candidate.workload);
    const std::string system = records->second.empty() ? "" : identity(candidate.system, candidate.accelerators);
    for (const Record& record : records->second) {
      if (record.system != system || record.target != candidate.target) continue;
      if (!candidate.record || record.time < candidate.record->time) candidate.record = {record.id, record.time};
    }
  }
}

}  // namespace mlsim::studies
