// The table of `mlsim list recipes`.
#pragma once

#include <string>
#include <vector>

#include "reports/namespace.hpp"
#include "workloads/convergence/convergence_table.hpp"

namespace mlsim::reports {

/// What is known of the samples that each benchmark needs to its target.
std::string recipes_text(const std::vector<ConvergenceTable>& tables);

}  // namespace mlsim::reports
