#include "studies/compare/job_study.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "studies/plan/plan_candidate.hpp"

namespace mlsim::studies {
namespace {

constexpr double kNothing = 1e-3;  // of the time to the target

// Writes "dgx-a100:nodes=4" of "dgx-a100:nodes=2"; empty where the name counts no nodes.
std::string of_twice_the_nodes(const std::string& topology) {
  const std::string key = "nodes=";
  for (auto at = topology.find(key); at != std::string::npos; at = topology.find(key, at + 1)) {
    if (at == 0 || (topology[at - 1] != ':' && topology[at - 1] != ',')) continue;
    const auto from = at + key.size(), end = std::min(topology.find_first_not_of("0123456789", from), topology.size());
    if (end == from) continue;
    return topology.substr(0, from) + std::to_string(2 * std::stoi(topology.substr(from, end - from))) +
           topology.substr(end);
  }
  return "";
}

std::optional<JobChange> twice_the_accelerators(PredictRequest request, const PlanCandidate& now) {
  if (const std::string larger = of_twice_the_nodes(request.topology); !larger.empty() && request.accelerators == 0)
    request.topology = larger;
  else
    request.accelerators = 2 * now.accelerators;
  try {
    const auto more = candidate_of(request, predict(request));
    if (!more || more->target != now.target) return std::nullopt;
    JobChange change{"twice the accelerators", more->time - now.time, {}};
    if (more->cost() && now.cost()) change.cost = *more->cost() - *now.cost();
    return change;
  } catch (const InputError&) {  // the batch, or the machine, is of this size alone
    return std::nullopt;
  } catch (const Infeasible&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<JobChange> job_changes(const PredictRequest& request, const Explanation& explanation) {
  const Prediction answer = predict(request);
  const auto now = candidate_of(request, answer);
  if (!now) return {};
  std::vector<JobChange> changes;
  for (const ResourceElasticity& more : explanation.elasticities) {
    // Training takes as much less time as samples come quicker; evaluations and start-up stay.
    const Seconds saved = answer.job->train - answer.job->train / more.throughput;
    if (more.resource == "batch" || saved < kNothing * now->time) continue;
    JobChange change{(more.change == "halved" ? "half the " : "twice the ") + more.resource, -saved, {}};
    if (now->price) change.cost = now->bill(now->time - saved) - now->bill(now->time);
    changes.push_back(std::move(change));
  }
  if (auto more = twice_the_accelerators(request, *now)) changes.push_back(std::move(*more));
  return changes;
}

}  // namespace mlsim::studies
