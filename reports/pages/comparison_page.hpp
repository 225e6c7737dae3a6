// The page of a comparison says which answer is best at what, in charts and tables with a column for each.
#pragma once

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "reports/pages/basis_section.hpp"
#include "studies/compare/comparison.hpp"

namespace mlsim::reports {

/// A terminal gets this page: the answers side by side, what they have in common, who was refused and why, and
/// warnings.
Page comparison_page(const Comparison& comparison);

/// A report is the same with charts and sliders.
Page comparison_report(const Comparison& comparison, const PageOrigin& origin);

}  // namespace mlsim::reports
