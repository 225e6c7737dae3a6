#include "topologies/construction/slice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <tuple>

#include "core/text/errors.hpp"

namespace mlsim::topologies {
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
  const auto sides = box | std::views::transform(&GridDimension::size);
  const auto odd = std::ranges::count_if(sides, [](int n) { return (n & (n - 1)) != 0; });
  const int longest = std::ranges::max(sides);
  const bool flat_in_x = sides.front() == 1 && longest > 1;  // a line lies along X
  return std::tuple(odd, longest, flat_in_x, box);
}

/// Finds the nearest count in steps of `step` that has a box; 0 where there is none.
int nearest_count(int from, int step, const Grid& most) {
  for (int count = from + step; count > 0 && count <= places_in(most); count += step) {
    if (best_box(count, most)) return count;
  }
  return 0;
}

}  // namespace

std::optional<Grid> best_box(int count, const Grid& most) {
  const std::vector<Grid> all = boxes(count, most);
  const auto best = std::ranges::min_element(all, {}, awkwardness);
  return best == all.end() ? std::nullopt : std::optional(*best);
}

Grid slice_for(int accelerators, const Grid& most, const std::string& name) {
  const int all = places_in(most);
  if (accelerators == all) return most;
  if (accelerators > all)
    throw Infeasible(fmt::format("{} holds {} accelerators, not {}", name, all, accelerators),
                     {"at most ", named("accelerators", all)});
  if (auto box = best_box(accelerators, most)) return *std::move(box);
  const int below = nearest_count(accelerators, -1, most), above = nearest_count(accelerators, 1, most);
  throw Infeasible(fmt::format("no {} accelerators form a rectangle inside {} ({}); the nearest that do are {} and {}",
                               accelerators, name, size_text(most), below, above),
                   {named("accelerators", below), " and ", named("accelerators", above), " accelerators do"});
}

Grid sliced_grid(const GridSpec& spec, Grid slice) {
  for (std::size_t d = 0; d < slice.size(); ++d) {
    const bool whole = slice[d].size == spec.grid[d].size, pod = d == 0 && spec.pod_wraps && slice[d].size == spec.pod;
    slice[d].wraps = whole ? spec.grid[d].wraps : pod;
  }
  return slice;
}

}  // namespace mlsim::topologies
