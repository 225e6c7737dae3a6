// How well the convergence tables predict, as a table for a terminal.
#pragma once

#include <string>

#include "reports/namespace.hpp"
#include "validation/scores/convergence_errors.hpp"

namespace mlsim::reports {

std::string convergence_errors_text(const ConvergenceErrors& errors);

}  // namespace mlsim::reports
