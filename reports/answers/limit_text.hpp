// This sentence says what most of a job's time goes to.
#pragma once

#include <string>

#include "core/result/prediction.hpp"

namespace mlsim::reports {

/// Writes "Mostly start-up: 95 % of the bill is initialisation.": the largest share of what is billed of a job, the
/// largest part of a step alone.
std::string limit_text(const Prediction& prediction);

/// Writes "48 %"; beyond 1000 % with an exponent.
std::string whole_percent(double share);

}  // namespace mlsim::reports
