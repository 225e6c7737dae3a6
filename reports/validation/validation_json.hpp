// This JSON holds a validation for programs.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::reports {

/// The object has `cases[]{id, group, metric, value, predicted, relative_error, interval, role, distance}` and
/// `groups[]{name, metric, count, median_abs_error, p90_abs_error, max_abs_error, bias, coverage}`, SI units; more keys
/// where there is more to say: `refused`, `linear` (the baseline) and `misses`. `predicted`, `relative_error`,
/// `interval` and errors of groups are null where there are none.
std::string validation_json(const ValidationReport& report);

}  // namespace mlsim::reports
