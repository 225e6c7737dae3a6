// This JSON says for programs how well kernels of one accelerator predict steps on another.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "validation/scores/transfer.hpp"

namespace mlsim::reports {

/// The object is {"checks": [{from, to, measured, asked, published, predicted, relative_error}], "pairs": [{name,
/// count, median_abs_error, p90_abs_error, max_abs_error, bias, log_rms}], "all": {...}, "misses": [...]}; errors over
/// no runs are null.
std::string transfer_errors_json(const TransferErrors& errors);

}  // namespace mlsim::reports
