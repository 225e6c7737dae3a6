// What twice of each resource would save of a step.
#pragma once

#include "core/result/explanation.hpp"
#include "reports/namespace.hpp"
#include "reports/page/report_page.hpp"

namespace mlsim::reports {

PageSection what_if_section(const Explanation& explanation);

}  // namespace mlsim::reports
