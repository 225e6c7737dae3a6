// A `SavedResult` is a result that was saved as JSON, read back.
#pragma once

#include <string>
#include <variant>

#include "core/result/prediction.hpp"
#include "reports/namespace.hpp"
#include "studies/compare/comparison.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::reports {

using SavedResult = std::variant<Prediction, std::vector<ComparedAnswer>, ValidationReport>;

/// Reads what `predict`, `compare` or `validate published` wrote with --format json. Of a validation the cases have
/// what their table needs, no question. Throws InputError with the file and, where there is one, the place in it.
SavedResult saved_result(const std::string& text, const std::string& file);

}  // namespace mlsim::reports
