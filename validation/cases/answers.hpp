// answers() gives the answers to many questions, several processes at a time, in the order of the questions.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "sim/answer/predict.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// Exactly one member holds something.
struct Answer {
  std::optional<Prediction> prediction;
  std::string refusal;  // what the predictor threw, or that it took too long
};

/// These options say how questions are asked.
struct AnswerOptions {
  int workers = 0;                                        // processes at a time; 0: one for each processor
  std::optional<Seconds> time_limit;                      // for one question; a slower one is refused
  std::string activity = "answering cases";               // what the program is said to be at meanwhile
  std::function<std::string(std::size_t question)> name;  // of a question, in sentences; may be empty
  std::function<void(const std::string& sentence)> say;   // of a question that is asked again; may be empty
};

/// Asks `predictor` each question in forked processes. What it throws of the question refuses it, and so does a time
/// that is over. A question whose process is killed or crashes, or that this machine fails, is asked again as
/// worker_outcomes() does. Throws MachineFailed with the question's name where that is of no use, or where no process
/// can be had; Unavailable where the predictor throws that: neither says anything of the question.
std::vector<Answer> answers(const std::vector<PredictRequest>& questions,
                            const std::function<Prediction(const PredictRequest&)>& predictor,
                            const AnswerOptions& options = {});

/// Answers questions that are made where they are answered, in the processes: question(0), ... in this order.
std::vector<Answer> answers(std::size_t questions, const std::function<PredictRequest(std::size_t)>& question,
                            const std::function<Prediction(const PredictRequest&)>& predictor,
                            const AnswerOptions& options = {});

}  // namespace mlsim::validation
