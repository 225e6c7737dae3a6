// This page of collectives is what `mlsim calibrate` and `mlsim import` print.
#pragma once

#include <string>
#include <vector>

#include "core/profile/profile.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"

namespace mlsim::reports {

/// A curve that was measured is shown as the table of nccl-tests, with `hosts` by rank where they are known, and how
/// well the fit is; one that NCCL's structure completes by its course from size to size, next to what was measured.
Page curves_page(const std::vector<CollectiveCurve>& curves, const std::vector<std::string>& hosts = {});

}  // namespace mlsim::reports
