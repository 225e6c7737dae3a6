// An EvaluationGrid says when a training job evaluates, and so where its epochs to target can lie.
#pragma once

#include <optional>

#include "core/text/document.hpp"

namespace mlsim::workloads {

/// The distance between evaluations depends on the batch: share * (per_batch * B + constant) samples, cut down to whole
/// multiples (MLPerf training rules for BERT from v1.0).
struct BatchEvaluationRule {
  double per_batch = 0, constant = 0, share = 0, multiple = 0;
  double samples(double batch) const;
};

/// Evaluations come at first + k * every epochs, `before` of them up to `first`; without a rule `every` is 0 and
/// `before` of them come, wherever the run ends.
struct EvaluationGrid {
  double before = 0, first = 0, every = 0;      // count, epochs, epochs
  std::optional<BatchEvaluationRule> by_batch;  // instead of every
  bool offset_chosen = false;                   // submitters move the grid so that no epoch is wasted (ResNet)

  /// Returns the epochs between evaluations; 0 where there is no grid.
  double interval(double batch, double samples_per_epoch) const;
  /// Returns how many a job of so many epochs makes: the nearest whole number, as published means sit on the grid
  /// already. It is never below one, except where there is neither grid nor count.
  double count(double epochs, double batch, double samples_per_epoch) const;
  /// Returns the evaluation nearest to `epochs`; a chosen offset is tuned to the `expected` epochs.
  double nearest(double epochs, double expected, double batch, double samples_per_epoch) const;
};

/// Reads `evaluations:` of a recipe; throws InputError with file and line.
EvaluationGrid read_evaluation_grid(const Document& at);

}  // namespace mlsim::workloads
