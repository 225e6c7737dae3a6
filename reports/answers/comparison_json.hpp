// This JSON holds a comparison for programs.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "studies/compare/comparison.hpp"

namespace mlsim::reports {

/// The object is {"answers": [{"name", "prediction" (as predict's JSON) | "refusal"}], "inputs": [{"name", "differs",
/// "values"}], "figures": [{"name", "unit", "best" (an answer's name), "values", "ratios", "intervals"}]}; null where
/// an answer has no such value.
std::string comparison_json(const Comparison& comparison);

}  // namespace mlsim::reports
