// A `Comparison` sets one job side by side on several systems, or with several settings.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "sim/plan/request.hpp"
#include "studies/namespace.hpp"

namespace mlsim::studies {

struct ComparedQuestion {
  std::string name;
  PredictRequest request;
};

struct ComparedAnswer {
  std::string name;
  std::optional<Prediction> prediction;  // empty where the question was refused
  std::string refusal;                   // why
};

/// A `ComparedInput` is what each answer was asked for, or chose where nothing was said.
struct ComparedInput {
  std::string name;  // "recipe"
  std::vector<std::optional<std::string>>
      values;  // by answer; empty of one that was refused, no text where it has none

  /// Tells whether two answers have other values.
  bool differs() const;
};

struct ComparedFigure {
  std::string name, unit;                            // "step time", "s": SI, and USD
  std::vector<std::optional<double>> values;         // by answer
  std::vector<std::optional<Interval>> intervals{};  // by answer: 5th and 95th percentile, where there are any
  std::optional<std::size_t> best{};  // empty of what is neither good nor bad, and of a figure that stands alone

  /// Says how many times worse an answer is than the best, at least 1; empty where there is no best or no value.
  std::optional<double> ratio(std::size_t answer) const;
};

struct Comparison {
  std::vector<ComparedAnswer> answers;
  std::vector<ComparedInput> inputs;
  std::vector<ComparedFigure> figures;
  bool targets_differ = false;  // two answers of one workload train to different targets
};

/// Sets answers that there are already side by side.
Comparison comparison_of(std::vector<ComparedAnswer> answers);

/// Asks all questions; where they would train to different targets and name none, all again by the newest of their
/// recipes by which all do train to one. One that is infeasible or needs what is missing here is refused with its
/// reason; wrong input is an InputError whose place is the question's name.
Comparison compare(const std::vector<ComparedQuestion>& questions);

/// The schema is studies/compare/comparison.schema.json: null where an answer has no such value.
std::string to_json(const Comparison& comparison);

}  // namespace mlsim::studies
