// This section shows how a job speeds up with more accelerators: chart and table, the ideal line, efficiency and the
// knee.
#pragma once

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "reports/pages/page_point.hpp"
#include "studies/compare/scaling.hpp"

namespace mlsim::reports {

PageSection scaling_section(const Scaling& scaling);

/// Lists the sizes that were answered, told apart by their accelerators.
PagePoints answered_sizes(const Scaling& scaling);

}  // namespace mlsim::reports
