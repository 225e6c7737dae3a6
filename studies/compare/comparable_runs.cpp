#include "studies/compare/published_run.hpp"

#include <algorithm>

#include "sim/evidence/difference.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::studies {
namespace {

using validation::Case;
using validation::CaseResult;

std::vector<Case> nearest_cases(const Prediction& answer, std::size_t most) {
  const auto metric = answer.time_to_target ? validation::Metric::time_to_accuracy : validation::Metric::throughput;
  std::vector<Case> cases;
  for (const Case& c : validation::published_cases()) {
    // A case that gives mlsim the throughput is left out: its time would not be mlsim's own.
    if (c.workload == answer.inputs.workload && c.metric == metric && c.role == validation::Role::check &&
        !c.options.job.throughput)
      cases.push_back(c);
  }
  const int size = answer.inputs.accelerators;
  std::stable_sort(cases.begin(), cases.end(), [&](const Case& a, const Case& b) {
    return doublings_apart(a.accelerators, size) < doublings_apart(b.accelerators, size);
  });
  if (cases.size() > most) cases.resize(most);
  return cases;
}

}  // namespace

std::vector<CaseResult> comparable_runs(const PredictRequest& request, const Prediction& answer, std::size_t most) {
  const std::vector<Case> cases = nearest_cases(answer, most);
  if (cases.empty()) return {};
  validation::ValidationOptions how;
  how.profiles = request.builtin_profiles;
  std::vector<CaseResult> results = validation::validate_published(cases, how).cases;
  std::erase_if(results, [](const CaseResult& result) { return !result.predicted; });
  return results;
}

}  // namespace mlsim::studies
