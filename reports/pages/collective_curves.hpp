// These pages show collectives by themselves: one answer, and curves of time against payload.
#pragma once

#include <string>
#include <vector>

#include "core/units.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "reports/pages/basis_section.hpp"

namespace mlsim::reports {

/// `prediction` is of a collective.
Page collective_answer_page(const Prediction& prediction, const PageOrigin& origin);

/// A `CollectivePlot` is one line: "gloo" and its times.
struct CollectivePlot {
  struct Point {
    Bytes payload;
    Seconds time;
  };
  std::string name;
  std::vector<Point> points;
};

/// The section draws time against payload, both logarithmic, a line each, over a table of the same.
PageSection curves_section(const std::vector<CollectivePlot>& lines);

}  // namespace mlsim::reports
