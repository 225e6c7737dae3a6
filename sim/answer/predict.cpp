#include "sim/answer/predict.hpp"

#include "core/profile/collective_name.hpp"
#include "sim/answer/collective_answer.hpp"
#include "sim/answer/predicted_step.hpp"

namespace mlsim::sim {

Prediction predict(const PredictRequest& request, Timeline* timeline) {
  if (names_collective(request.workload)) {
    if (timeline != nullptr) *timeline = {};
    return predict_collective(request);
  }
  const PredictedStep step(request);
  if (timeline != nullptr) *timeline = step.timeline();
  return step.prediction(request);
}

}  // namespace mlsim::sim
