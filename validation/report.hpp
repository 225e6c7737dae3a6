// A validation as a text table, as JSON and as the pages of docs/accuracy.md.
#pragma once

#include <string>

#include "validation/namespace.hpp"
#include "validation/validate.hpp"

namespace mlsim::validation {

/// At most 100 columns: a row per case under its group, refused cases with the reason, then a row per group with the
/// linear baseline beside it and what it misses.
std::string to_text(const ValidationReport& report);

/// `cases[]{id, group, metric, value, predicted, relative_error, interval, role, distance}` and `groups[]{name, metric,
/// count, median_abs_error, p90_abs_error, max_abs_error, bias, coverage}`, SI units; more keys where there is more to
/// say: `refused`, `linear` (the baseline) and `misses`. `predicted`, `relative_error` and `interval` are null where
/// there are none.
std::string to_json(const ValidationReport& report);

/// docs/accuracy.md: how to read it, the groups, every case.
std::string to_markdown(const ValidationReport& report);

}  // namespace mlsim::validation
