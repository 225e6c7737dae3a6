// Reading of one recipe of a convergence file.
#pragma once

#include "workloads/convergence/convergence.hpp"

namespace mlsim::workloads {

/// Reads one item of `recipes:`. `above` are the recipes read before it, whose points it may share (`points_of`).
/// Throws InputError with file, line and the nearest word.
Recipe read_recipe(const Document& at, const std::vector<Recipe>& above);

}  // namespace mlsim::workloads
