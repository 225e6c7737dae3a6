// The table of `mlsim list prices`.
#pragma once

#include <string>
#include <vector>

#include "reports/namespace.hpp"
#include "topologies/price_list.hpp"

namespace mlsim::reports {

/// A row a price, by resource in natural order; below it the machines that have no public price.
std::string prices_text(std::vector<PriceEntry> entries, std::vector<std::string> unpriced);

}  // namespace mlsim::reports
