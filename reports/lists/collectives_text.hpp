// The table of `mlsim list collectives`.
#pragma once

#include <string>
#include <vector>

#include "core/profile/collective.hpp"
#include "core/units.hpp"
#include "reports/namespace.hpp"

namespace mlsim::reports {

/// One algorithm on one system.
struct CollectiveRow {
  std::string system;
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::string algorithm;
  Seconds time;
  BytesPerSecond bus_bandwidth;
};

/// A row each, all of one payload a rank.
std::string collectives_text(const std::vector<CollectiveRow>& rows, Bytes payload);

}  // namespace mlsim::reports
