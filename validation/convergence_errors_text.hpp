// How well the convergence tables predict, as a text table and as JSON.
#pragma once

#include <string>

#include "validation/convergence_errors.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

std::string to_text(const ConvergenceErrors& errors);
/// {"benchmarks": [{benchmark, results, row: {count, unanswered, median_abs_error, p90_abs_error, max_abs_error, bias,
/// coverage}, batch: {...}, submitter: {...}}], "all": {...}, "bounds": {row, batch}, "misses": [...]}
std::string to_json(const ConvergenceErrors& errors);

}  // namespace mlsim::validation
