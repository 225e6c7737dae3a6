// This header reads MLPerf's rounds off the names of recipes and software stacks.
#pragma once

#include <optional>
#include <string>

#include "workloads/convergence/convergence_table.hpp"

namespace mlsim::workloads {

/// Returns the round of a recipe or a stack: 1.1 of "v1.1-lars-mxnet" and of "mlperf-v1.1-dell"; nothing where the name
/// has none.
std::optional<double> mlperf_round(const std::string& name);

/// Returns the recipe to assume for a family where the user names none but a stack of `round` (or later than all
/// recipes): the newest that is not of a later round and whose evaluations are timed on the family where the default's
/// are, of the default's optimizer and code where one is; the default where none is. Throws InputError as
/// default_recipe does.
std::string recipe_of_round(const std::string& benchmark, const std::string& accelerator_family, double round);

}  // namespace mlsim::workloads
