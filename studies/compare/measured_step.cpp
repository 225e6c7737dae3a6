#include "studies/compare/job_study.hpp"

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <string>

#include "core/quantile.hpp"
#include "core/text/errors.hpp"
#include "sim/expert/settled_question.hpp"
#include "sim/explain/explain.hpp"

namespace mlsim::studies {
namespace {

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
  request.options.job.goal = job.goal;
  request.options.price = {};
  request.options.failures = {};
  request.options.energy = {};
  request.seed.reset();
  return request;
}

}  // namespace

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
