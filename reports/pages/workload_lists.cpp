// These are the tables of workloads, and of what is known of their way to a target.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text/units_text.hpp"
#include "reports/figure_text.hpp"
#include "reports/pages/lists.hpp"

namespace mlsim::reports {
namespace {

// Counts have three decimals up to 1000, where they are compared with published ones.
std::string gmac_text(std::int64_t macs) {
  const double value = static_cast<double>(macs) / 1e9;
  return value < 1000 ? fmt::format("{:.3f}", value) : count_text(value);
}

// Writes "256 .. 65 536", or "up to 4 096" where only a law is known.
std::string batches_text(const Recipe& recipe) {
  const std::string unit = recipe.by_accelerators ? " acc." : "";
  if (recipe.points.empty()) return fmt::format("up to {}{}", count_text(recipe.largest()), unit);
  const auto [least, most] = std::minmax_element(recipe.points.begin(), recipe.points.end(),
                                                 [](const auto& a, const auto& b) { return a.batch < b.batch; });
  if (least->batch == most->batch) return count_text(least->batch) + unit;
  return fmt::format("{} .. {}{}", count_text(least->batch), count_text(most->batch), unit);
}

// Names the families of accelerators that take the recipe where none is named.
std::string default_text(const ConvergenceTable& table, const Recipe& recipe) {
  std::vector<std::string> families;
  for (const auto& [family, name] : table.defaults)
    if (name == recipe.name) families.push_back(family);
  return fmt::format("{}", fmt::join(families, ", "));
}

}  // namespace

Page workloads_page(std::vector<Model> models) {
  sort_naturally(models, &Model::name);
  Table table = table_of(name_columns("name"), figure_columns("parameters", "tensors", "GMAC"),
                         word_columns("title [benchmark]"));
  for (const Model& model : models)
    table.rows.push_back({model.name, count_text(static_cast<double>(model.parameters())),
                          std::to_string(model.gradient_tensors()), gmac_text(model.macs()),
                          model.title + (model.benchmark.empty() ? "" : fmt::format(" [{}]", model.benchmark))});
  return table_page(
      std::move(table),
      "Tensors are gradient tensors; GMAC are 10^9 forward multiply-accumulates per sample. A model with a benchmark "
      "has "
      "recipes and so a time to target: `mlsim list recipes`. Parameters of a model's file are set behind a colon, "
      "bert-large:sequence=128.");
}

Page recipes_page(const std::vector<ConvergenceTable>& tables) {
  Table table = table_of(name_columns("benchmark", "recipe"), word_columns("target"), name_columns("global batch"),
                         figure_columns("points"), word_columns("default of"));
  for (const ConvergenceTable& known : tables)
    for (const Recipe& recipe : known.recipes)
      table.rows.push_back({known.benchmark, recipe.name, recipe.target, batches_text(recipe),
                            recipe.points.empty() ? "law" : std::to_string(recipe.points.size()),
                            default_text(known, recipe)});
  return table_page(
      std::move(table),
      "A recipe (round, optimizer, code family) says how many samples reach the target at a batch; --set recipe= names "
      "one. acc.: known by accelerators, not by batch. The errors of these tables: `mlsim validate convergence`.");
}

}  // namespace mlsim::reports
