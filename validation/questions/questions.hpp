// These are the questions that the scoreboard asks of all cases, the hardest first.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "validation/questions/goal.hpp"
#include "validation/scores/conformal.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::validation {

struct Question {
  std::string name;  // "as asked"
  std::string text;  // "as a planner asks: no software named"
  Asking asking;
};
/// The last question is the plain one.
const std::vector<Question>& questions();

/// A telling group has ten intervals or more.
struct TellingGroup {
  GroupScore score;
  double coverage_left_out = 0;  // with factors that the group's own checks had no part in
  bool skill_judged = false;     // of throughput, and ten checks that a baseline answers

  bool held() const { return score.coverage >= kHeld; }
  bool held_left_out() const { return coverage_left_out >= kHeld; }
  bool without_skill() const { return skill_judged && *score.skill >= kNoSkill; }

 private:
  static constexpr double kHeld = 0.8;
};

/// A `QuestionScore` is what came of one question; its sums leave out times whose rate is given.
struct QuestionScore {
  Question question;
  GroupScore throughput, time;
  double throughput_left_out = 0, time_left_out = 0;  // coverage, each group left out
  std::vector<TellingGroup> groups;                   // of all metrics
  std::vector<GoalScore> goals;                       // of this question
};

/// `GroupCounts` says how many groups of a question are so.
struct GroupCounts {
  std::size_t all = 0, held_left_out = 0, held = 0, judged = 0, without_skill = 0;
};
GroupCounts group_counts(const QuestionScore& score);

/// Scores a report's question, with factors that others were asked for.
QuestionScore score_of(const Question& question, const ValidationReport& report, const LeftOutFactors& factors);

/// Asks all; `arrived` is told of each report, in the order of questions().
std::vector<QuestionScore> ask_all(const std::vector<Case>& cases, const ValidationOptions& options,
                                   const std::function<void(const ValidationReport&)>& arrived = {});

/// The schema is validation/questions/questions.schema.json.
std::string to_json(const std::vector<QuestionScore>& scores);

}  // namespace mlsim::validation
