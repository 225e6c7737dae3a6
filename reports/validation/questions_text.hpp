// The scores of all questions: a table for a terminal, the page of docs/accuracy.md, and JSON.
#pragma once

#include <string>
#include <vector>

#include "reports/namespace.hpp"
#include "validation/questions/questions.hpp"
#include "validation/trace/published_traces.hpp"

namespace mlsim::reports {

std::string questions_text(const std::vector<QuestionScore>& scores);

/// The questions, runs of ours, real traces, then the page of the plain one with its groups and cases.
std::string questions_markdown(const std::vector<QuestionScore>& scores, const PublishedTraceResults& traces,
                               const ValidationReport& plain);

std::string questions_json(const std::vector<QuestionScore>& scores);

}  // namespace mlsim::reports
