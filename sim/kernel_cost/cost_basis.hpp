// On what the time of a kernel rests.
#pragma once

#include <cstddef>

#include "sim/namespace.hpp"

namespace mlsim::sim {

/// From best to worst: timed; a law fitted to timed kernels of its kind; timed on another accelerator; a curve fitted
/// to whole steps; the data sheet.
enum class CostBasis { measured, law, transferred, efficiency_curve, roofline };

inline constexpr std::size_t kCostBases = 5;

}  // namespace mlsim::sim
