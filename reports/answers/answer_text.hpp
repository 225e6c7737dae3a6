// The answer's text is the page of a prediction that a planner reads first.
#pragma once

#include <cstddef>
#include <string>

#include "core/result/prediction.hpp"

namespace mlsim::reports {

struct AnswerStyle {
  bool color = false;
  std::size_t width = 80;  // columns, at least 40
  bool sources = false;    // with what the answer rests on
};

/// The page says what was asked; time, cost and throughput with their ranges; the nearest published run, the word of
/// trust; step and memory as bars; what limits; warnings; where to go on. It has no trailing spaces and ends with a
/// newline.
std::string answer_text(const Prediction& prediction, const AnswerStyle& style);

}  // namespace mlsim::reports
