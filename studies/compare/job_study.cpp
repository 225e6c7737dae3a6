#include "studies/compare/job_study.hpp"

#include <utility>

#include "core/text/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/explain/explain.hpp"
#include "studies/compare/published_run.hpp"

namespace mlsim::studies {

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

}  // namespace mlsim::studies
