#include "reports/pages/page_candidate.hpp"

namespace mlsim::reports {

PageCandidates page_candidates(const PagePoints& points) {
  PageCandidates candidates;
  for (const PagePoint& point : points) {
    const auto& in = point.prediction->inputs;
    if (const auto bill = job_bill(*point.prediction))
      candidates.push_back({point.label, point.system, static_cast<double>(in.accelerators), in.global_batch, *bill});
  }
  return candidates;
}

}  // namespace mlsim::reports
