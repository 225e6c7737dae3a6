// This page explains why a step takes as long as it does.
#pragma once

#include "core/result/explanation.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

/// The page has the critical path, what it is made of, and what would shorten it.
Page explanation_page(const Explanation& explanation);

}  // namespace mlsim::reports
