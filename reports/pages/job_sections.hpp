// These sections say of one job where its step's time goes and what would save some.
#pragma once

#include <vector>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "studies/compare/job_study.hpp"

namespace mlsim::reports {

/// This is the heading under which the sizes of a job stand side by side.
inline constexpr const char* kBySize = "number of accelerators";

/// The sections are the step and the memory by size, the timeline of the step, and what more of each resource would
/// save.
std::vector<PageSection> step_sections(const JobStudy& study);

}  // namespace mlsim::reports
