#include "studies/job_study.hpp"

#include <utility>

#include "core/errors.hpp"
#include "sim/answer/predict.hpp"
#include "sim/explain/explain.hpp"
#include "studies/comparable_runs.hpp"

namespace mlsim::studies {

JobStudy job_study(const PredictRequest& request, Prediction answer, Timeline timeline) {
  JobStudy study;
  study.answer = std::move(answer);
  study.timeline = std::move(timeline);
  try {
    study.explanation = explain(request);
  } catch (const InputError& e) {  // it explains one step, not the many that were drawn
    study.unexplained = e.what();
  }
  study.scaling = scaling(request, study.answer);
  study.comparable = comparable_runs(request, study.answer);
  return study;
}

JobStudy job_study(const PredictRequest& request) {
  Timeline timeline;
  Prediction answer = predict(request, &timeline);
  return job_study(request, std::move(answer), std::move(timeline));
}

}  // namespace mlsim::studies
