// This sentence says what most of a job's time goes to.
#pragma once

#include <string>

#include "core/result/prediction.hpp"

namespace mlsim::reports {

/// "Mostly start-up: 95 % of the bill is initialisation." Of a job the largest share of what is billed, of a step alone
/// its largest part.
std::string limit_text(const Prediction& prediction);

/// "48 %"; beyond 1000 % with an exponent.
std::string whole_percent(double share);

}  // namespace mlsim::reports
