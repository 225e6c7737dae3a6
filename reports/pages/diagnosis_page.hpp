// This page shows the causes of a slow step.
#pragma once

#include "replay/diagnosis/cause.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

/// The page has the causes by likelihood, the evidence for each in a sentence, and the test that tells the two
/// likeliest apart.
Page diagnosis_page(const Diagnosis& diagnosis);

}  // namespace mlsim::reports
