// A `Grid` has the dimensions of a grid of accelerators, and where ranks stand in it.
//
// Only the closed walk of flat rings (sim/collectives/rank_layout.cpp) knows no more than two. Pods follow one another
// along X, as TPU v3's do.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlsim::topologies {

struct GridDimension {
  int size = 1;
  bool wraps = false;
  auto operator<=>(const GridDimension&) const = default;
};

/// The dimensions are X, Y, ...; ranks count along X first: rank = x + y * size of X. In a built cluster a dimension
/// wraps only where its wrap is a link of its own, that is from length 3.
using Grid = std::vector<GridDimension>;

/// The dimensions have these names in mappings, and these letters in names of places and wrap=.
inline constexpr std::string_view kDimensionNames = "XYZ", kDimensionLetters = "xyz";
inline constexpr char kSliceLetter = 's';

/// Grids have two or three dimensions; joined slices are one more.
inline constexpr std::size_t kLeastDimensions = 2, kMostDimensions = kDimensionLetters.size();

int places_in(const Grid& grid);

/// Writes "8x16".
std::string size_text(const Grid& grid);

/// Gives the grid wraps in just those dimensions whose letter stands in `wraps`: "xy", "y", "none".
Grid wrapped(Grid grid, std::string_view wraps);

/// Gives the places along each dimension, ascending, whose product the ranks are; empty where they fill no box.
std::optional<std::vector<std::vector<int>>> box_of(const Grid& grid, const std::vector<int>& ranks);

/// Picks the box (without wraps) of `count` places within `most`: most sides that are powers of two, then the squarest,
/// then the one shortest along X, except that a line lies along X; empty where none fits. Takes O(boxes + longest
/// side).
std::optional<Grid> best_box(int count, const Grid& most);
/// Finds the nearest count in steps of `step` that has a box; 0 where there is none.
int nearest_count(int from, int step, const Grid& most);

/// Says whether the way from place `at` to place `to` of a dimension leads up: the shorter way round where it wraps, up
/// where both are equal.
inline bool leads_up(int at, int to, const GridDimension& dimension) {
  return dimension.wraps ? 2 * ((to - at + dimension.size) % dimension.size) <= dimension.size : to > at;
}

}  // namespace mlsim::topologies
