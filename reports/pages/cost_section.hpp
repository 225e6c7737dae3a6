// These sections set the time of candidates against their cost, at the prices on record and at others.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "reports/pages/page_candidate.hpp"

namespace mlsim::reports {

inline constexpr std::size_t kPriceSliders = 6;  // more would not be used

/// The section has a chart of all candidates with the front of those that no other beats in both, and their table; a
/// sentence where there are none. `job` tells the section from those of other jobs on the page.
PageSection cost_section(const PageCandidates& candidates, const std::string& job = {});

/// A `SliderStart` is where sliders stand first and what they ask.
struct SliderStart {
  Seconds deadline;
  double confidence = 0.9;                // probability with which a candidate must end in time
  std::vector<std::string> systems = {};  // whose prices have sliders; empty: all
};

/// Sliders start on the front of candidates: a deadline that the cheapest keeps in nine runs of ten, and the prices of
/// the systems.
SliderStart slider_start(const PageCandidates& candidates);

/// The section says at what price each candidate costs as much as the cheapest, and has sliders over the table of
/// cost_section(). `by` is what the candidates differ in. There is a sentence where there are none.
PageSection price_section(const PageCandidates& candidates, const std::string& by, const SliderStart& start);

}  // namespace mlsim::reports
