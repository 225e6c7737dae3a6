// The year of a software stack is the one that its runs were made in, as far as its name tells.
#pragma once

#include <optional>
#include <string>

#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Gives 2019 for "mlperf-v0.6-pytorch", 2024 for "dle-pytorch-2024-04-04", 2017 for "tf-2017"; empty where the name
/// tells none.
std::optional<int> stack_year(const std::string& stack);

/// Says whether the stack is of a later year than `last`. Without a last year none is, nor is a stack of no known year.
bool later_than(std::optional<int> last, const std::string& stack);

}  // namespace mlsim::sim
