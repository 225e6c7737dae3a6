// The page of a capacity plan: which system to take, why not the others, and what would change that.
#pragma once

#include <optional>

#include "reports/namespace.hpp"
#include "reports/page/basis_section.hpp"
#include "reports/page/report_page.hpp"
#include "studies/compare/job_study.hpp"
#include "studies/plan/plan.hpp"

namespace mlsim::reports {

/// `chosen` is the study of the chosen candidate's job; empty where nothing is chosen.
ReportPage plan_page(const CapacityPlan& plan, const std::optional<JobStudy>& chosen, const PageOrigin& origin);

}  // namespace mlsim::reports
