// How well kernels of one accelerator predict steps on another, as a table for a terminal.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "validation/scores/transfer.hpp"

namespace mlsim::reports {

/// A row for each pair of runs, then the errors of each pair of generations and of all.
std::string transfer_errors_text(const TransferErrors& errors);

}  // namespace mlsim::reports
