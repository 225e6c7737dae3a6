// An EvaluationGrid says when a training job evaluates, and so where its epochs to target can lie; an EvaluationPause
// what an evaluation takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/profile/provenance.hpp"
#include "core/text/document.hpp"
#include "core/text/statement.hpp"
#include "core/units.hpp"

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

/// An EvaluationPause is what one evaluation takes off steady training: p = fixed + passes * x^exponent seconds.
///
/// p is everything that is not steady training: the evaluation, restart of the input, first touch of the data, tail. x
/// is V / throughput, the seconds that the training rate needs for the validation set, or, where every device decodes
/// its share by beam search (GNMT, Transformer), 8 / accelerators. The constants are data,
/// workloads/catalogue/convergence.
struct EvaluationPause {
  enum class Load { validation_set, beam_search };

  std::string family;             // "gpu", "tpu", "other" or "any"
  std::vector<std::string> eras;  // "v0.5", "v0.6+": the clocks of recipes that it belongs to
  Seconds fixed;
  double passes = 0, exponent = 1;
  Load load = Load::validation_set;
  Source source;

  bool belongs_to(const std::string& era, const std::string& accelerator_family) const;
};

/// Returns the seconds of one pause. Throws InputError for a throughput that is not positive or no accelerator.
Seconds evaluation_pause(const EvaluationPause& pause, PerSecond throughput, double validation_samples,
                         int accelerators);

/// Writes the formula in words: "0.35 s + 1.04 x validation samples/throughput".
Statement pause_statement(const EvaluationPause& pause);

/// Reads one item of `pauses:`; throws InputError with file, line and the nearest word.
EvaluationPause read_evaluation_pause(const Document& at);

}  // namespace mlsim::workloads
