// These pages show the scores of all questions; one of them is docs/accuracy.md.
#pragma once

#include <vector>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "reports/pages/traces_section.hpp"
#include "validation/questions/questions.hpp"

namespace mlsim::reports {

/// A terminal gets this page: the questions, and what is to be reached.
Page questions_page(const std::vector<QuestionScore>& scores);

/// docs/accuracy.md is this page: the questions, runs of ours, real traces, then the groups of the plain one.
Page accuracy_page(const std::vector<QuestionScore>& scores, const PublishedTraceResults& traces,
                   const ValidationReport& plain);

}  // namespace mlsim::reports
