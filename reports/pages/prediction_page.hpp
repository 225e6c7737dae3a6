// The page of one job shows its answer, how it scales, what it costs, why it takes as long, and what it rests on.
#pragma once

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "reports/pages/basis_section.hpp"
#include "studies/compare/job_study.hpp"

namespace mlsim::reports {

Page prediction_page(const JobStudy& study, const PageOrigin& origin);

/// The page of a saved answer is without what only a new prediction gives.
Page prediction_page(const Prediction& answer, const PageOrigin& origin);

}  // namespace mlsim::reports
