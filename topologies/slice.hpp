// The rectangle of a grid that a job gets.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "topologies/machine_spec.hpp"

namespace mlsim::topologies {

/// The preferred x * y = count rectangle inside the bounds: most sides that are powers of two, then the squarest, then
/// the one longer in Y, except that a line lies along X. Empty where none fits. O(most_x).
std::optional<std::pair<int, int>> best_rectangle(int count, int most_x, int most_y);

/// The rectangle for `accelerators` inside x * y; throws Infeasible with the nearest counts that have one, or where
/// there are more than the grid holds. `name` is the grid's in messages.
std::pair<int, int> slice_for(int accelerators, int most_x, int most_y, const std::string& name);

/// The grid of a slice at the origin: a side shorter than the whole loses its wrap, except one that spans just one
/// pod of several in X, which has its own wrap.
Grid sliced_grid(const GridSpec& spec, int x, int y);

}  // namespace mlsim::topologies
