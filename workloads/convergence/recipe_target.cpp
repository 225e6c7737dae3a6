#include "workloads/convergence/recipe_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/text/errors.hpp"
#include "core/text/split.hpp"
#include "core/text/units_text.hpp"
#include "workloads/convergence/convergence_table.hpp"

namespace mlsim::workloads {
namespace {

bool is_near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)); }

// The text is "74.9 % top-1 (v0.5-sgd); 75.9 % top-1 (v0.6-lars, v0.7-lars-tf)".
std::string targets_text(const ConvergenceTable& table) {
  std::vector<std::pair<std::string, std::string>> recipes_of;  // by target, in the order of the table
  for (const Recipe& recipe : table.recipes) {
    for (const RecipeTarget& target : recipe.targets) {
      auto known =
          std::find_if(recipes_of.begin(), recipes_of.end(), [&](const auto& e) { return e.first == target.text; });
      if (known == recipes_of.end()) known = recipes_of.insert(known, {target.text, ""});
      known->second += (known->second.empty() ? "" : ", ") + recipe.name;
    }
  }
  std::string text;
  for (const auto& [target, recipes] : recipes_of)
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", target, recipes);
  return text.empty() ? "no target that has a number" : text;
}

}  // namespace

std::optional<RecipeTarget> read_target(const std::string& text, const Source& source) {
  for (const std::string& word : split(text, ' ')) {
    if (word.find_first_not_of("0123456789.") != std::string::npos || text.ends_with(" epochs")) continue;
    return RecipeTarget{text, parse_number(word), text.find("loss") != std::string::npos, source};
  }
  return std::nullopt;
}

double LearningRate::on(int ranks) const {
  if (scaling == RateScaling::none) return base;
  return base * (scaling == RateScaling::linear ? ranks : std::sqrt(double(ranks)));
}

const RecipeTarget* reached(const Recipe& recipe, const AskedTarget& asked) {
  for (const RecipeTarget& target : recipe.targets)
    if (target.loss == asked.loss && is_near(target.value, asked.value)) return &target;
  return nullptr;
}

const Recipe& recipe_to_target(const ConvergenceTable& table, const Recipe& usual, const AskedTarget& asked) {
  if (reached(usual, asked) != nullptr) return usual;
  for (const Recipe& recipe : table.recipes)
    if (reached(recipe, asked) != nullptr) return recipe;
  throw InputError(fmt::format("--set {}={:g}", asked.loss ? "target_loss" : "target", asked.value),
                   fmt::format("how many epochs that takes is not known; of {} runs to these targets are on record: {}",
                               table.title, targets_text(table)));
}

void check_learning_rate(const Recipe& recipe, double rate, int ranks) {
  const std::string place = fmt::format("--set learning_rate={:g}", rate);
  if (!recipe.learning_rate)
    throw InputError(place, fmt::format("with which learning rate the runs of recipe {} were made is not on record, so "
                                        "that none can be checked; leave it out for the epochs of these runs",
                                        recipe.name));
  const LearningRate& known = *recipe.learning_rate;
  if (is_near(rate, known.base) || is_near(rate, known.on(ranks))) return;
  const std::string scaled = known.scaling == RateScaling::none
                                 ? ""
                                 : fmt::format(", {:g} on {} rank{}", known.on(ranks), ranks, ranks == 1 ? "" : "s");
  throw InputError(place, fmt::format("the epochs of recipe {} are those of {:g}{}; of others nothing is published",
                                      recipe.name, known.base, scaled));
}

}  // namespace mlsim::workloads
