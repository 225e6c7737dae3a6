// An `AnswerFigure` or `AnsweredInput` is read off each answer where many stand side by side.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "studies/namespace.hpp"

namespace mlsim::studies {

enum class Better { lower, higher, neither };

/// An `AnswerFigure` is one figure of an answer; tables, columns and comparisons read the list below, the only one.
struct AnswerFigure {
  std::string key;   // "step_time_s": its column, and its key at the top of the answer's JSON where it stands there
  std::string name;  // "step time"; empty of figures by which answers are not compared
  std::string unit;  // "s": SI, and USD
  Better better = Better::neither;
  std::function<std::optional<double>(const Prediction&)> value;            // empty where the answer has none
  std::function<std::optional<Interval>(const Prediction&)> interval = {};  // 5th and 95th percentile
};

/// Lists every figure, the most asked first.
const std::vector<AnswerFigure>& figures();

/// An `AnsweredInput` is what an answer was asked for, or chose where nothing was said.
struct AnsweredInput {
  std::string key;   // "used_recipe": its column; empty where another has it
  std::string name;  // "recipe"
  std::function<std::string(const Prediction&)> text;
};

const std::vector<AnsweredInput>& answered_inputs();

}  // namespace mlsim::studies
