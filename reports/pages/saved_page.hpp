// The page of saved results shows answers side by side where there are several, validations behind them.
#pragma once

#include <vector>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "reports/pages/basis_section.hpp"
#include "reports/saved_result.hpp"

namespace mlsim::reports {

/// There must be at least one result. Throws InputError where several are validations: they would be one page twice.
Page saved_page(std::vector<SavedResult> results, const PageOrigin& origin);

}  // namespace mlsim::reports
