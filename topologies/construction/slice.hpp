// A slice is the box of a grid that a job gets.
#pragma once

#include <optional>
#include <string>

#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

/// Picks the box (without wraps) of `count` places within `most`: most sides that are powers of two, then the squarest,
/// then the one shortest along X, except that a line lies along X; empty where none fits. Takes O(boxes + longest
/// side).
std::optional<Grid> best_box(int count, const Grid& most);

/// Picks the box for `accelerators` within `most`; throws Infeasible with the nearest counts that have one, or where
/// there are more than the grid holds. `name` is the grid's in messages.
Grid slice_for(int accelerators, const Grid& most, const std::string& name);

/// Gives the grid of a slice at the origin: a side shorter than the whole loses its wrap, except one that spans just
/// one pod of several in X, which has its own wrap.
Grid sliced_grid(const GridSpec& spec, Grid slice);

}  // namespace mlsim::topologies
