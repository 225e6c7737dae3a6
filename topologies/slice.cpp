#include "topologies/slice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/text/errors.hpp"

namespace mlsim::topologies {
namespace {

bool power_of_two(int n) { return (n & (n - 1)) == 0; }

/// Smaller is better.
auto awkwardness(int x, int y) {
  const bool line_along_y = x == 1 && y > 1;  // a line lies along X
  return std::tuple(static_cast<int>(!power_of_two(x)) + static_cast<int>(!power_of_two(y)), std::max(x, y),
                    line_along_y, x);
}

/// The nearest count in steps of `step` that has a rectangle; 0 where there is none.
int nearest_count(int from, int step, int most_x, int most_y) {
  for (int count = from + step; count > 0 && count <= most_x * most_y; count += step) {
    if (best_rectangle(count, most_x, most_y)) return count;
  }
  return 0;
}

}  // namespace

std::optional<std::pair<int, int>> best_rectangle(int count, int most_x, int most_y) {
  std::optional<std::pair<int, int>> best;
  for (int x = 1; x <= std::min(most_x, count); ++x) {
    if (count % x != 0 || count / x > most_y) continue;
    if (!best || awkwardness(x, count / x) < awkwardness(best->first, best->second)) best = {x, count / x};
  }
  return best;
}

std::pair<int, int> slice_for(int accelerators, int most_x, int most_y, const std::string& name) {
  if (accelerators == most_x * most_y) return {most_x, most_y};
  if (accelerators > most_x * most_y)
    throw Infeasible(fmt::format("{} holds {} accelerators, not {}", name, most_x * most_y, accelerators),
                     {"at most ", named("accelerators", most_x * most_y)});
  if (const auto rectangle = best_rectangle(accelerators, most_x, most_y)) return *rectangle;
  const int below = nearest_count(accelerators, -1, most_x, most_y),
            above = nearest_count(accelerators, 1, most_x, most_y);
  throw Infeasible(
      fmt::format("no {} accelerators form a rectangle inside {} ({}x{}); the nearest that do are {} and {}",
                  accelerators, name, most_x, most_y, below, above),
      {named("accelerators", below), " and ", named("accelerators", above), " accelerators do"});
}

Grid sliced_grid(const GridSpec& spec, int x, int y) {
  Grid grid{x, y, spec.grid.wrap_x, spec.grid.wrap_y};
  if (x < spec.grid.size_x) grid.wrap_x = spec.pod_wraps && x == spec.pod;
  if (y < spec.grid.size_y) grid.wrap_y = false;
  return grid;
}

}  // namespace mlsim::topologies
