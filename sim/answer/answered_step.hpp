// An `AnsweredStep` is the simulated step as an answer shows it: with its wait for input, and as the mean of what is
// drawn.
#pragma once

#include <optional>

#include "core/result/prediction.hpp"
#include "sim/costed_step/costed_step.hpp"
#include "sim/namespace.hpp"
#include "sim/plan/request.hpp"
#include "sim/step/step.hpp"

namespace mlsim::sim {

struct AnsweredStep {
  StepOutcome outcome;  // of ranks that do not differ but for known slow ones
  StepBreakdown breakdown;
  std::optional<StepDistribution> distribution;
  std::optional<Prediction::Input> input;
  double log_spread = 0;  // one sigma of the log of its time
  Notes notes;            // of the input
};

AnsweredStep answered_step(const PredictRequest& request, const CostedStep& step);

}  // namespace mlsim::sim
