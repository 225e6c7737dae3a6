// An `IntervalCheck` tells whether intervals hold whose width has not seen the group: split-conformal, the group left
// out.
#pragma once

#include <string>
#include <vector>

#include "core/result/trust.hpp"
#include "validation/namespace.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::validation {

/// Names the question on whose checks the factor of a footing is fitted.
Asking calibrating(Footing footing);

/// A score says how far a check was off: |ln error| over the difficulty that its answer states.
struct ConformalScore {
  std::string source;
  Footing footing = Footing::no_run;
  double score = 0;
};

/// Says whether scores on footing `scored` set the factor of `footing`: its own, and of operators those of mixtures, too,
/// since a network that nobody published may be as far off as mixtures were; these have a wider factor besides.
bool sets_factor(Footing scored, Footing footing);

/// Scores the throughputs and step times of a report.
std::vector<ConformalScore> conformal_scores(const ValidationReport& report);

/// Gives the 0.9 quantile of the scores, one or more, which are all on one footing. Steps of language models by what operators
/// reach come from sources of five to two hundred rows each, so there each source weighs as much as any other.
double conformal_factor_of(std::vector<ConformalScore> scores, Footing footing);

/// An `IntervalCheck` is a check that has an interval, in logarithms.
struct IntervalCheck {
  std::string source;
  Metric metric = Metric::throughput;
  Footing footing = Footing::no_run;
  double difficulty = 0;        // 0: the width does not go by a footing's factor
  double error = 0;             // of the published value over the predicted one
  double below = 0, above = 0;  // half-widths
};
std::vector<IntervalCheck> interval_checks(const ValidationReport& report);

/// Says whether the interval holds with `factor` in place of its footing's: the part of its width that is the step's
/// grows or shrinks; what the epochs and the clock add stays.
bool holds_with(const IntervalCheck& check, double factor);

/// These factors are given by the checks of all groups but one.
class LeftOutFactors {
 public:
  /// Takes those scores of the report whose footing is calibrated on its question.
  void add(const ValidationReport& report);
  /// Gives the 0.9 quantile without the checks of `source`; the usual factor where fewer than ten others are known.
  double without(const std::string& source, Footing footing) const;
  /// Gives the share of the checks of one source and metric that hold so.
  double coverage(const std::vector<IntervalCheck>& checks, const std::string& source, Metric metric) const;
  /// Gives it for all checks of a metric, each with its own group left out.
  double coverage(const std::vector<IntervalCheck>& checks, Metric metric) const;

 private:
  std::vector<ConformalScore> scores_;
};

}  // namespace mlsim::validation
