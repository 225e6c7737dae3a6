// This JSON holds the scores of all questions for programs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/namespace.hpp"
#include "validation/questions/questions.hpp"

namespace mlsim::reports {

/// `GroupCounts` says how many groups of a question are so.
struct GroupCounts {
  std::size_t all = 0, held_left_out = 0, held = 0, judged = 0, without_skill = 0;
};

GroupCounts group_counts(const QuestionScore& score);

std::string questions_json(const std::vector<QuestionScore>& scores);

}  // namespace mlsim::reports
