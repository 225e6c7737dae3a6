// Time against cost of candidates, and what they cost at other prices.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "reports/page/page_point.hpp"
#include "reports/page/report_page.hpp"

namespace mlsim::reports {

/// A chart of all candidates with the front of those that no other beats in both, and their table. A sentence where
/// none has a time to target.
PageSection cost_section(const PagePoints& candidates);

/// At what price each of `points` costs as much as the cheapest, and sliders over the table of cost_section(). Starts
/// with `deadline`. A sentence where none has a time to target.
PageSection price_section(const PagePoints& points, const std::string& by, Seconds deadline);

}  // namespace mlsim::reports
