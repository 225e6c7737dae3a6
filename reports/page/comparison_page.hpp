// The page of a comparison: which answer is best at what, and the same charts with a column for each.
#pragma once

#include "reports/namespace.hpp"
#include "reports/page/basis_section.hpp"
#include "reports/page/report_page.hpp"
#include "studies/compare/comparison.hpp"

namespace mlsim::reports {

ReportPage comparison_page(const Comparison& comparison, const PageOrigin& origin);

}  // namespace mlsim::reports
