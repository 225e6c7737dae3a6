// The page of a validation: predictions against published runs, group by group and case by case.
#pragma once

#include "reports/namespace.hpp"
#include "reports/pages/basis_section.hpp"
#include "reports/page/page.hpp"
#include "validation/scores/validate.hpp"

namespace mlsim::reports {

Page validation_page(const ValidationReport& report, const PageOrigin& origin);

}  // namespace mlsim::reports
