// A `PageCandidate` is one way to do a job among several that a page compares by time and cost.
#pragma once

#include <string>
#include <vector>

#include "reports/namespace.hpp"
#include "reports/pages/page_point.hpp"
#include "studies/plan/job_bill.hpp"

namespace mlsim::reports {

struct PageCandidate {
  std::string label;   // what tells it from the others: "4 096", "dgx-a100 precision=tf32"
  std::string system;  // whose price it pays
  double accelerators = 1, global_batch = 1;
  JobBill bill;
};

using PageCandidates = std::vector<PageCandidate>;

/// Makes candidates of those points that have a time to target.
PageCandidates page_candidates(const PagePoints& points);

}  // namespace mlsim::reports
