// The answers to many questions, several processes at a time, in the order of the questions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/prediction.hpp"
#include "sim/answer/predict.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// Exactly one holds something.
struct Answer {
  std::optional<Prediction> prediction;
  std::string refusal;  // what the predictor threw
};

/// Asks `predictor` each question: in this process where `workers` is 1, else in that many forked ones (0: one for each
/// processor). A worker that dies refuses the questions it leaves open. `progress` may be empty.
std::vector<Answer> answers(const std::vector<PredictRequest>& questions,
                            const std::function<Prediction(const PredictRequest&)>& predictor, int workers,
                            const std::function<void(int done, int all)>& progress);

}  // namespace mlsim::validation
