// This JSON says for programs how well the convergence tables predict.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "validation/scores/convergence_errors.hpp"

namespace mlsim::reports {

/// The object is {"benchmarks": [{benchmark, results, row: {count, unanswered, median_abs_error, p90_abs_error,
/// max_abs_error, bias, coverage}, batch: {...}, submitter: {...}}], "all": {...}, "bounds": {row, batch}, "misses":
/// [...]}
std::string convergence_errors_json(const ConvergenceErrors& errors);

}  // namespace mlsim::reports
