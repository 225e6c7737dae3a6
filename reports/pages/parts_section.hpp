// These sections show side by side what the steps and the memory of several answers are made of.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "reports/pages/page_point.hpp"

namespace mlsim::reports {

/// `by` is what the points differ in: "accelerators", "column".
PageSection step_section(const PagePoints& points, const std::string& by);
PageSection memory_section(const PagePoints& points, const std::string& by);

}  // namespace mlsim::reports
