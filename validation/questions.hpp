// The questions that the scoreboard asks of all cases, the hardest first.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "validation/validate.hpp"

namespace mlsim::validation {

struct Question {
  std::string text;  // "asked as a planner asks: no software named"
  Asking asking;
};
/// The last is the plain one.
const std::vector<Question>& questions();

/// What came of one question, times whose rate is given left out.
struct QuestionScore {
  Question question;
  GroupScore throughput, time;
  int groups = 0;         // of ten checks and more, all metrics
  int groups_held = 0;    // of these, with 80 % of the intervals and more holding
  int groups_judged = 0;  // of throughput and ten checks that a baseline answers
  int without_skill = 0;  // of these
};

QuestionScore score_of(const Question& question, const ValidationReport& report);

/// Asks all; `arrived` is told of each report, in the order of questions().
std::vector<QuestionScore> ask_all(const std::vector<Case>& cases, const ValidationOptions& options,
                                   const std::function<void(const ValidationReport&)>& arrived = {});

}  // namespace mlsim::validation
