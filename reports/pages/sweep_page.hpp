// The page of a stored sweep shows its points by time and cost, and why some have no answer.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "reports/pages/basis_section.hpp"

namespace mlsim::reports {

/// The page has rows of so many points; the store, and its CSV, have all.
inline constexpr std::size_t kPagePoints = 2000;

/// A terminal gets this page: how many points were answered and why others were not, and the first of those that no
/// other point beats in both time to target and cost, or `all`; what is left out is said.
Page sweep_page(const std::string& store, bool all = false);

/// A report has all points with charts and sliders; the quickest stand first, without times to a target those of the
/// highest throughput.
Page sweep_report(const std::string& store, const PageOrigin& origin);

}  // namespace mlsim::reports
