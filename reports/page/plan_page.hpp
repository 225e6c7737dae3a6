// The page of a capacity plan: which system to take, why not the others, and what would change that.
#pragma once

#include "reports/namespace.hpp"
#include "reports/page/basis_section.hpp"
#include "reports/page/report_page.hpp"
#include "studies/plan.hpp"

namespace mlsim::reports {

ReportPage plan_page(const CapacityPlan& plan, const PageOrigin& origin);

}  // namespace mlsim::reports
