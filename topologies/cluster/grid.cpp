#include "topologies/cluster/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace mlsim::topologies {

int places_in(const Grid& grid) {
  int places = 1;
  for (const GridDimension& dimension : grid) places *= dimension.size;
  return places;
}

std::string size_text(const Grid& grid) {
  std::string text;
  for (const GridDimension& dimension : grid) text += fmt::format("{}{}", text.empty() ? "" : "x", dimension.size);
  return text;
}

Grid wrapped(Grid grid, std::string_view wraps) {
  for (std::size_t d = 0; d < grid.size(); ++d)
    grid[d].wraps = wraps.find(kDimensionLetters[d]) != std::string_view::npos;
  return grid;
}

std::optional<std::vector<std::vector<int>>> box_of(const Grid& grid, const std::vector<int>& ranks) {
  std::vector<std::vector<int>> box;
  std::size_t places = 1;
  int stride = 1;
  for (const GridDimension& dimension : grid) {
    std::vector<int>& along = box.emplace_back();
    for (const int rank : ranks) along.push_back(rank / stride % dimension.size);
    std::sort(along.begin(), along.end());
    along.erase(std::unique(along.begin(), along.end()), along.end());
    places *= along.size();
    stride *= dimension.size;
  }
  return places == ranks.size() ? std::optional(std::move(box)) : std::nullopt;
}

namespace {

/// Lists all boxes of `count` places within the dimensions of `most` from `first` on.
std::vector<Grid> boxes(int count, const Grid& most, std::size_t first = 0) {
  if (first + 1 == most.size()) return count <= most[first].size ? std::vector<Grid>{{{count}}} : std::vector<Grid>{};
  std::vector<Grid> result;
  for (int side = 1; side <= std::min(most[first].size, count); ++side) {
    if (count % side != 0) continue;
    for (Grid& box : boxes(count / side, most, first + 1)) {
      box.insert(box.begin(), {side});
      result.push_back(std::move(box));
    }
  }
  return result;
}

/// A smaller awkwardness is better.
auto awkwardness(const Grid& box) {
  const auto odd = std::ranges::count_if(
      box, [](int n) { return (n & (n - 1)) != 0; }, &GridDimension::size);
  const int longest = std::ranges::max_element(box, {}, &GridDimension::size)->size;
  const bool flat_in_x = box.front().size == 1 && longest > 1;  // a line lies along X
  return std::tuple(odd, longest, flat_in_x, box);
}

}  // namespace

std::optional<Grid> best_box(int count, const Grid& most) {
  const std::vector<Grid> all = boxes(count, most);
  const auto best = std::min_element(all.begin(), all.end(),
                                     [](const Grid& a, const Grid& b) { return awkwardness(a) < awkwardness(b); });
  return best == all.end() ? std::nullopt : std::optional(*best);
}

int nearest_count(int from, int step, const Grid& most) {
  for (int count = from + step; count > 0 && count <= places_in(most); count += step) {
    if (best_box(count, most)) return count;
  }
  return 0;
}

}  // namespace mlsim::topologies
