// The pages of a validation are for predictions against published runs, group by group and case by case.
#pragma once

#include <vector>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "reports/pages/basis_section.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::reports {

/// The table has a row for each group: its errors, those of the linear baseline, its bounds and whether it keeps them.
Table groups_table(const ValidationReport& report);

/// A terminal gets this page: a row per case under its group, refused cases with the reason, then the groups and what
/// they miss.
Page validation_page(const ValidationReport& report);

/// These are sections of docs/accuracy.md: how to read it, the groups, the words of trust.
std::vector<PageSection> published_sections(const ValidationReport& report);

/// A report has charts of all cases and groups.
Page validation_report(const ValidationReport& report, const PageOrigin& origin);

}  // namespace mlsim::reports
