// Errors of predictions against published values, case by case and group by group.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/prediction.hpp"
#include "core/statement.hpp"
#include "validation/cases.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

/// What came of one case. Exactly one of `predicted` and `refusal` holds something.
struct CaseResult {
  Case what;
  std::optional<double> predicted;   // SI units of the metric
  std::optional<Interval> interval;  // 5th and 95th percentile, where the prediction has one
  std::optional<TrustLevel> trust;   // the word that the prediction gives of itself
  Statement distance;                // how far the prediction stands from its anchor
  std::string refusal;               // why there is no prediction
  std::optional<double> linear;      // the linear baseline's answer, where it has one

  double relative_error() const { return *predicted / what.value - 1; }
  bool scored() const { return what.role == Role::check && predicted.has_value(); }
  bool holds() const { return interval && (*interval)[0] <= what.value && what.value <= (*interval)[1]; }
};

/// Absolute relative errors: count, median, 90th percentile (linear between order statistics), largest, and the mean
/// signed error.
struct ErrorSummary {
  int count = 0;
  double median = 0, p90 = 0, max = 0, bias = 0;
};
ErrorSummary summary(const std::vector<double>& signed_errors);

/// The check cases of one source and metric. Anchors never count; a refused case counts as failed.
struct GroupScore {
  std::string source;
  Metric metric = Metric::throughput;
  ErrorSummary error;
  double coverage = 0;  // share of intervals that held the published value, of the cases that have one
  int intervals = 0;
  int refused = 0;
  ErrorSummary linear;               // errors of the linear baseline
  ErrorSummary error_beside_linear;  // the model's, on the cases that the baseline answers
};

/// The throughput checks that were given one word of trust.
struct TrustScore {
  TrustLevel level = TrustLevel::weak;
  ErrorSummary error;
};

/// One of each level, the most trusted first. Throughputs alone: times to target rest on epochs, too.
std::vector<TrustScore> trust_scores(const std::vector<CaseResult>& results);

/// Groups in order of their first case.
std::vector<GroupScore> group_scores(const std::vector<CaseResult>& results);

}  // namespace mlsim::validation
