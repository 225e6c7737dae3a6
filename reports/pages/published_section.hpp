// The section compares predictions with published runs: a scatter on which a right one lies on the diagonal, and the
// cases.
#pragma once

#include <string>
#include <vector>

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "validation/scores/score.hpp"

namespace mlsim::reports {

/// Writes "time to accuracy".
std::string metric_words(Metric metric);
/// Returns the unit of a page's column for the metric's values.
std::string unit_of(Metric metric);

/// The blocks are a chart and a folded table of cases of one metric, under `id`; lines at `bound` to either side of the
/// diagonal where it is more than 0. One or two cases have no chart.
std::vector<PageBlock> scatter_blocks(const std::string& id, const std::string& title,
                                      const std::vector<const CaseResult*>& results, double bound);

/// Published runs comparable with a job; a sentence where there are none.
PageSection published_section(const std::vector<CaseResult>& results);

}  // namespace mlsim::reports
