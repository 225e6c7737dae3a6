// Causes of a slow step as people read them.
#pragma once

#include <string>

#include "replay/diagnosis/cause.hpp"
#include "reports/namespace.hpp"

namespace mlsim::reports {

/// The causes by likelihood, the evidence for each in a sentence, and the test that tells the two likeliest apart.
std::string diagnosis_text(const Diagnosis& diagnosis);

}  // namespace mlsim::reports
