// This section says what twice of each resource would save of a step.
#pragma once

#include <string>

#include "core/result/explanation.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

/// Writes "twice the NIC bandwidth".
std::string more_text(const ResourceElasticity& change);

PageSection what_if_section(const Explanation& explanation);

}  // namespace mlsim::reports
