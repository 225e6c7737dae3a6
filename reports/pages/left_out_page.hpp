// These pages say how well left-out results of the convergence tables, and accelerators by the kernels of others, are
// predicted from the rest.
#pragma once

#include "reports/namespace.hpp"
#include "reports/page/page.hpp"
#include "validation/scores/convergence_errors.hpp"
#include "validation/scores/transfer.hpp"

namespace mlsim::reports {

/// The page has a row for each benchmark and way of leaving out.
Page convergence_page(const ConvergenceErrors& errors);

/// The page has a row for each pair of runs, then the errors of each pair of generations and of all.
Page transfer_page(const TransferErrors& errors);

}  // namespace mlsim::reports
