#include "reports/lists/recipes_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text/units_text.hpp"
#include "reports/text_table.hpp"

namespace mlsim::reports {
namespace {

// "256 .. 65 536", "up to 4 096" where only a law is known.
std::string batches_text(const Recipe& recipe) {
  const std::string unit = recipe.by_accelerators ? " acc." : "";
  if (recipe.points.empty()) return fmt::format("up to {}{}", count_text(recipe.largest()), unit);
  const auto [least, most] = std::minmax_element(recipe.points.begin(), recipe.points.end(),
                                                 [](const auto& a, const auto& b) { return a.batch < b.batch; });
  if (least->batch == most->batch) return count_text(least->batch) + unit;
  return fmt::format("{} .. {}{}", count_text(least->batch), count_text(most->batch), unit);
}

// The families of accelerators that take the recipe where none is named.
std::string default_text(const ConvergenceTable& table, const Recipe& recipe) {
  std::vector<std::string> families;
  for (const auto& [family, name] : table.defaults) {
    if (name == recipe.name) families.push_back(family);
  }
  return fmt::format("{}", fmt::join(families, ", "));
}

}  // namespace

std::string recipes_text(const std::vector<ConvergenceTable>& tables) {
  TextTable table{{{"benchmark", Align::left, true},
                   {"recipe", Align::left, true},
                   {"target"},
                   {"global batch", Align::left, true},
                   {"points", Align::right, true},
                   {"default of"}},
                  {}};
  for (const ConvergenceTable& known : tables) {
    for (const auto& recipe : known.recipes) {
      table.rows.push_back({known.benchmark, recipe.name, recipe.target, batches_text(recipe),
                            recipe.points.empty() ? "law" : std::to_string(recipe.points.size()),
                            default_text(known, recipe)});
    }
  }
  return with_note(table,
                   "A recipe (round, optimizer, code family) says how many samples reach the target at a batch; --set "
                   "recipe= names one. acc.: known by accelerators, not by batch. The errors of these tables: `mlsim "
                   "validate convergence`.");
}

}  // namespace mlsim::reports
