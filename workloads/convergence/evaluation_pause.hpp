// An EvaluationPause is what one evaluation takes off steady training: p = fixed + passes * x^exponent seconds.
//
// p is everything that is not steady training: the evaluation, restart of the input, first touch of the data, tail. x
// is V / throughput, the seconds that the training rate needs for the validation set, or, where every device decodes
// its share by beam search (GNMT, Transformer), 8 / accelerators. The constants are data,
// workloads/catalogue/convergence.
#pragma once

#include <string>
#include <vector>

#include "core/profile/provenance.hpp"
#include "core/text/document.hpp"
#include "core/text/statement.hpp"
#include "core/units.hpp"

namespace mlsim::workloads {

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
