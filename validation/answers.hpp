// The answers to many questions, several processes at a time, in the order of the questions.
#pragma once

#include <cstddef>
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
  std::string refusal;  // what the predictor threw, or how its process crashed
};

/// How questions are asked.
struct AnswerOptions {
  int workers = 0;                           // processes at a time; 0: one for each processor
  std::optional<Seconds> time_limit;         // for one question; a slower one is refused
  std::string activity = "answering cases";  // what the program is said to be at meanwhile
};

/// Asks `predictor` each question in forked processes. A question that crashes its process is refused. Throws
/// MachineFailed or Unavailable where a process cannot be had or is killed, or where the predictor throws that: it says
/// nothing of the question.
std::vector<Answer> answers(const std::vector<PredictRequest>& questions,
                            const std::function<Prediction(const PredictRequest&)>& predictor,
                            const AnswerOptions& options = {});

/// The same of questions that are made where they are answered, in the processes: question(0), ... in this order.
std::vector<Answer> answers(std::size_t questions, const std::function<PredictRequest(std::size_t)>& question,
                            const std::function<Prediction(const PredictRequest&)>& predictor,
                            const AnswerOptions& options = {});

}  // namespace mlsim::validation
