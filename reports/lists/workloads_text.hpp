// The table of `mlsim list workloads`.
#pragma once

#include <string>
#include <vector>

#include "reports/namespace.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::reports {

/// The counts of every model, in natural order.
std::string workloads_text(std::vector<Model> models);

}  // namespace mlsim::reports
