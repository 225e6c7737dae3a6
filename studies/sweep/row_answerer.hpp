// A `RowAnswerer` turns questions into rows.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "sim/answer/predicted_step.hpp"
#include "studies/namespace.hpp"
#include "studies/question.hpp"
#include "studies/sweep/sweep_row.hpp"

namespace mlsim::studies {

/// Answers questions that share one step, which it simulates once. What has no answer is a row that says why.
class RowAnswerer {
 public:
  explicit RowAnswerer(const KnownFigures& known) : known_(known) {}

  SweepRow row(std::size_t point, const QuestionText& question);

 private:
  const KnownFigures& known_;
  std::unique_ptr<PredictedStep> step_;
  std::optional<SweepRow> refusal_;  // of the step
};

}  // namespace mlsim::studies
