// These sections say what an answer rests on and how it is repeated: assumptions, sources, settings, the command.
#pragma once

#include <string>

#include "core/result/prediction.hpp"
#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "reports/pages/page_point.hpp"

namespace mlsim::reports {

/// A `PageOrigin` says how a page came about.
struct PageOrigin {
  std::string command;  // as it was typed
  std::string made_by;  // "mlsim 0.3.0"
};

/// Lists the figures behind one answer, or behind several with the label of each.
PageSection basis_section(const PagePoints& points);

/// Lists the settings of one answer, and the command.
PageSection repeat_section(const PageOrigin& origin, const Prediction* answer);

}  // namespace mlsim::reports
