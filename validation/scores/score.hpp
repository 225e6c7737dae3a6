// A score is the error of predictions against published values, case by case and group by group.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "core/text/statement.hpp"
#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"
#include "validation/scores/baselines.hpp"

namespace mlsim::validation {

/// A `CaseResult` is what came of one case. Exactly one of `predicted` and `refusal` holds something.
struct CaseResult {
  Case what;
  std::optional<double> predicted;   // SI units of the metric
  std::optional<Interval> interval;  // 5th and 95th percentile, where the prediction has one
  std::optional<Trust> trust;        // what the prediction says of itself
  Statement distance;                // how far the prediction stands from its anchor
  std::string refusal;               // why there is no prediction
  BaselineAnswers baselines;

  double relative_error() const { return *predicted / what.value - 1; }
  bool rate_given() const { return what.options.job.throughput.has_value(); }  // it tests epochs and the clock alone
  bool scored() const { return what.role == Role::check && predicted.has_value(); }
  bool holds() const { return interval && (*interval)[0] <= what.value && what.value <= (*interval)[1]; }
};

/// A summary of absolute relative errors has count, median, 90th percentile (linear between order statistics), largest,
/// and the mean signed error.
struct ErrorSummary {
  int count = 0;
  double median = 0, p90 = 0, max = 0, bias = 0;
};
ErrorSummary summary(const std::vector<double>& signed_errors);

/// A group is the check cases of one source and metric. Anchors never count; a refused case counts as failed.
struct GroupScore {
  std::string source;
  Metric metric = Metric::throughput;
  ErrorSummary error;
  double coverage = 0;  // share of intervals that held the published value, of the cases that have one
  int intervals = 0;
  int refused = 0;
  std::array<ErrorSummary, kBaselines> baselines;  // by Baseline
  std::array<ErrorSummary, kBaselines> beside;     // the model's, on the cases that the baseline answers
  /// The skill is the model's median error over the best baseline's, each on the cases that the baseline answers; empty
  /// where none does. At 0.8 and above the simulation adds nothing that its scoreboard can see: "no skill".
  std::optional<double> skill;

  const ErrorSummary& linear() const { return baselines[static_cast<std::size_t>(Baseline::linear)]; }
};

inline constexpr double kNoSkill = 0.8;
/// Groups of fewer cases say little of skill or coverage.
inline constexpr int kTellingGroup = 10;

/// A `TrustScore` is about the throughput checks that were given one word of trust.
struct TrustScore {
  TrustLevel level = TrustLevel::weak;
  ErrorSummary error;
};

/// Gives one score of each level, the most trusted first. Only throughputs count: times to target rest on epochs, too.
std::vector<TrustScore> trust_scores(const std::vector<CaseResult>& results);

/// Scores all checks of one metric together.
GroupScore overall(const std::vector<CaseResult>& results, Metric metric);

/// Scores groups in order of their first case.
std::vector<GroupScore> group_scores(const std::vector<CaseResult>& results);

}  // namespace mlsim::validation
