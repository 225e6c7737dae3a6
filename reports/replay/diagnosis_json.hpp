// This JSON holds the causes of a slow step for programs.
#pragma once

#include <string>

#include "replay/diagnosis/cause.hpp"
#include "reports/namespace.hpp"

namespace mlsim::reports {

/// The JSON has what diagnosis_page says, with shares and likelihoods from 0 to 1.
std::string diagnosis_json(const Diagnosis& diagnosis);

}  // namespace mlsim::reports
