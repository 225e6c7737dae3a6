// These sections set the time of candidates against their cost, at the prices on record and at others.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "reports/pages/page_point.hpp"
#include "studies/plan/job_bill.hpp"

namespace mlsim::reports {

/// A `PageCandidate` is one way to do a job among several that a page compares by time and cost.
struct PageCandidate {
  std::string label;   // what tells it from the others: "4 096", "dgx-a100 precision=tf32"
  std::string system;  // whose price it pays
  double accelerators = 1, global_batch = 1;
  JobBill bill;
};

using PageCandidates = std::vector<PageCandidate>;

/// Makes candidates of those points that have a time to target.
PageCandidates page_candidates(const PagePoints& points);

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
