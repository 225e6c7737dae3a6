// draw() makes random numbers that depend on their purpose, not on the order in which they are asked for.
#pragma once

#include <cstdint>

#include "sim/namespace.hpp"

namespace mlsim::sim {

/// A number is drawn for the speed of a chip, the jitter of a rank in a step, or the delay of a host's input.
enum class DrawFor : std::uint64_t { chip_speed = 1, jitter = 2, input = 3 };

/// The number is uniform in (0, 1), never either end. The same rank of the same step gets the same number in a larger
/// cluster, or beside other settings: two answers differ by what was changed, not by luck.
double draw(std::uint64_t seed, DrawFor purpose, std::uint64_t step, std::uint64_t index);

}  // namespace mlsim::sim
