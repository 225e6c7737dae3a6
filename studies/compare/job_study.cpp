#include "studies/compare/job_study.hpp"

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/quantile.hpp"
#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/expert/settled_question.hpp"
#include "sim/explain/explain.hpp"
#include "studies/compare/published_run.hpp"
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

constexpr std::size_t kRemedies = 3;
constexpr double kWorthSaying = 0.01;  // of the step

// The interval is one of a lognormal (sim/job/job_clock.hpp).
double percentile_of(const Prediction& answer, Seconds measured) {
  const Interval& range = answer.interval.step_time;
  const double spread = range[0] > 0 ? std::log(range[1] / range[0]) / (2 * kNormal95) : 0;
  if (!(spread > 0)) return measured < answer.step.time ? 0 : 1;
  return boost::math::cdf(boost::math::normal(), std::log(measured / answer.step.time) / spread);
}

// Asks for the same step, without what is of the job alone.
PredictRequest step_question(const PredictRequest& asked) {
  PredictRequest request = settled(asked).request;
  const JobOptions job = request.options.job;
  request.options.job = {};
  request.options.job.recipe = job.recipe;
  request.options.price = {};
  request.options.failures = {};
  request.options.energy = {};
  request.seed.reset();
  return request;
}

}  // namespace

JobStudy job_study(const PredictRequest& request, Prediction answer, Timeline timeline, const ScalingOptions& options) {
  JobStudy study;
  study.answer = std::move(answer);
  study.timeline = std::move(timeline);
  try {
    study.explanation = explain(request);
  } catch (const InputError& e) {  // it explains one step, not the many that were drawn
    study.unexplained = e.what();
  }
  study.scaling = scaling(request, study.answer, options);
  study.comparable = comparable_runs(request, study.answer);
  return study;
}

JobStudy job_study(const PredictRequest& request, const ScalingOptions& options) {
  Timeline timeline;
  Prediction answer = predict(request, &timeline);
  return job_study(request, std::move(answer), std::move(timeline), options);
}

std::vector<JobChange> job_changes(PredictRequest request, const Explanation& explanation) {
  request.one_of_many = true;
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

Prediction::MeasuredStep measured_step(const PredictRequest& request, const Prediction& answer, Seconds measured) {
  Prediction::MeasuredStep step{measured, percentile_of(answer, measured), {}};
  try {
    for (const ResourceElasticity& more : explain(step_question(request)).elasticities) {
      if (more.resource == "batch" || more.saved < kWorthSaying || step.remedies.size() == kRemedies) continue;
      step.remedies.push_back({more.change == "halved" ? "half the " : "twice the ", named("resource", more.resource),
                               " would save ", named_percent("saved", more.saved)});
    }
  } catch (const InputError&) {  // explain looks at one step, and many were drawn
  }
  return step;
}

}  // namespace mlsim::studies
