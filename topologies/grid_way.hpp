// Which way round a message goes along one dimension of a grid.
#pragma once

namespace mlsim::topologies {

/// Whether the way from place `at` to place `to` of a dimension leads up: the shorter way round where it wraps, up
/// where both are equal.
inline bool leads_up(int at, int to, int size, bool wraps) {
  return wraps ? 2 * ((to - at + size) % size) <= size : to > at;
}

}  // namespace mlsim::topologies
