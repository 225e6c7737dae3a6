// A `Goal` says what the scoreboard is to reach, question by question; a `GoalScore` says where it stands.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result/prediction.hpp"
#include "validation/cases/metric.hpp"
#include "validation/namespace.hpp"
#include "validation/scores/score.hpp"

namespace mlsim::validation {

/// Errors are shares: 0.08 is 8 %.
struct Goal {
  std::string question;  // by name, of questions()
  std::string text;      // "throughput"
  Metric metric = Metric::throughput;
  bool (*counts)(const CaseResult&) = nullptr;  // which checks of the metric
  double median = 0, p90 = 0;
  std::optional<Interval> held;  // between which shares the 90 % intervals are to hold; empty: not asked
};
/// Lists the goals in the order of questions().
const std::vector<Goal>& goals();

struct GoalScore {
  Goal goal;
  ErrorSummary error;
  double coverage = 0;

  bool median_reached() const { return error.count > 0 && error.median <= goal.median; }
  bool p90_reached() const { return error.count > 0 && error.p90 <= goal.p90; }
  bool held_reached() const { return !goal.held || ((*goal.held)[0] <= coverage && coverage <= (*goal.held)[1]); }
};

/// Scores the goals of one question on its answers.
std::vector<GoalScore> goal_scores(const std::string& question, const std::vector<CaseResult>& answers);

}  // namespace mlsim::validation
