#include "topologies/cluster/grid.hpp"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace mlsim::topologies
