// The page of a capacity plan says which system to take, why not the others, and what would change that.
#pragma once

#include <optional>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "reports/pages/basis_section.hpp"
#include "studies/compare/job_study.hpp"
#include "studies/plan/plan.hpp"

namespace mlsim::reports {

/// A terminal gets this page: the choice, the front, what would change it, what is left out.
Page plan_page(const CapacityPlan& plan);

/// A report is the same with charts, sliders and all candidates. `chosen` is the study of the chosen candidate's job;
/// empty where nothing is chosen.
Page plan_report(const CapacityPlan& plan, const std::optional<JobStudy>& chosen, const PageOrigin& origin);

}  // namespace mlsim::reports
