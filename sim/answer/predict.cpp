#include "sim/answer/predict.hpp"

#include "sim/answer/predicted_step.hpp"

namespace mlsim::sim {

Prediction predict(const PredictRequest& request, Timeline* timeline) {
  const PredictedStep step(request);
  if (timeline != nullptr) *timeline = step.timeline();
  return step.prediction(request);
}

}  // namespace mlsim::sim
