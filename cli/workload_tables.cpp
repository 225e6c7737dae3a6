#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/list_tables.hpp"
#include "core/units_text.hpp"
#include "workloads/convergence/convergence.hpp"
#include "workloads/model/model.hpp"

namespace mlsim::cli {
namespace {

// Three decimals up to 1000, where counts are compared with published ones.
std::string gmac_text(std::int64_t macs) {
  const double value = static_cast<double>(macs) / 1e9;
  return value < 1000 ? fmt::format("{:.3f}", value) : count_text(value);
}

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

std::string workloads_text() {
  TextTable table{{{"name", Align::left, true},
                   {"parameters", Align::right, true},
                   {"tensors", Align::right, true},
                   {"GMAC", Align::right, true},
                   {"title [benchmark]"}},
                  {}};
  auto names = model_names();
  std::sort(names.begin(), names.end(), natural_less);
  for (const auto& name : names) {
    const Model model = load_model(name);
    table.rows.push_back({name, count_text(static_cast<double>(model.parameters())),
                          std::to_string(model.gradient_tensors()), gmac_text(model.macs()),
                          model.title + (model.benchmark.empty() ? "" : fmt::format(" [{}]", model.benchmark))});
  }
  return with_note(
      table,
      "Tensors are gradient tensors; GMAC are 10^9 forward multiply-accumulates per sample. A model with "
      "a benchmark has recipes and so a time to target: `mlsim list recipes`. Parameters of a model's file "
      "are set behind a colon, bert-large:sequence=128.");
}

std::string recipes_text() {
  TextTable table{{{"benchmark", Align::left, true},
                   {"recipe", Align::left, true},
                   {"target"},
                   {"global batch", Align::left, true},
                   {"points", Align::right, true},
                   {"default of"}},
                  {}};
  for (const auto& benchmark : convergence_benchmarks()) {
    const ConvergenceTable& known = convergence_table(benchmark);
    for (const auto& recipe : known.recipes) {
      table.rows.push_back({benchmark, recipe.name, recipe.target, batches_text(recipe),
                            recipe.points.empty() ? "law" : std::to_string(recipe.points.size()),
                            default_text(known, recipe)});
    }
  }
  return with_note(table,
                   "A recipe (round, optimizer, code family) says how many samples reach the target at a batch; --set "
                   "recipe= names one. acc.: known by accelerators, not by batch. The errors of these tables: `mlsim "
                   "validate convergence`.");
}

}  // namespace mlsim::cli
