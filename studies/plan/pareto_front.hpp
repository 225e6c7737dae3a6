// The Pareto front is what is worth a look where time and cost both count.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "studies/namespace.hpp"

namespace mlsim::studies {

using TimeAndCost = std::array<double, 2>;  // s, USD

/// Finds the points that no other beats in both, the quickest first; of equals the first. What lacks either does not
/// count.
std::vector<std::size_t> pareto_front(const std::vector<std::optional<TimeAndCost>>& points);

}  // namespace mlsim::studies
