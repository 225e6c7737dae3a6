// The page of a stored sweep: its points by time and cost, and why some have no answer.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "reports/page/basis_section.hpp"
#include "reports/page/report_page.hpp"

namespace mlsim::reports {

/// Of so many points the page has a row; the store, and its CSV, have all.
inline constexpr std::size_t kPagePoints = 2000;

/// Of the answered points the quickest stand first, without times to a target those of the highest throughput.
ReportPage sweep_page(const std::string& store, const PageOrigin& origin);

}  // namespace mlsim::reports
