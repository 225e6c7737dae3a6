// A RecipeTarget is what the runs of a recipe reach: a number of some metric, or a loss.
#pragma once

#include <optional>
#include <string>

#include "core/profile/provenance.hpp"

namespace mlsim::workloads {

struct RecipeTarget {
  std::string text;  // "75.9 % top-1", "loss 0.2828"
  double value = 0;  // the first number of the text
  bool loss = false;
  Source source;
};

/// Returns the target that a text names; empty where it has no number or names a length ("90 epochs").
std::optional<RecipeTarget> read_target(const std::string& text, const Source& source);

/// A rule by which a learning rate grows with the ranks.
enum class RateScaling { none, linear, square_root };

/// The learning rate that a recipe's runs had, on one rank and on `ranks`.
struct LearningRate {
  double base = 0;
  RateScaling scaling = RateScaling::none;
  Source source;
  double on(int ranks) const;
};

struct ConvergenceTable;
struct Recipe;

/// An `AskedTarget` is a metric's value or a loss.
struct AskedTarget {
  double value = 0;
  bool loss = false;
};

/// Returns what the recipe reaches of what was asked; null where its runs are not known to. Values are equal to 1e-6.
const RecipeTarget* reached(const Recipe& recipe, const AskedTarget& asked);

/// Returns the recipe that reaches what was asked: `usual` where it does, else the first of the table that does. The
/// epochs to other targets are not worked out: throws InputError with the targets that are known, and their recipes.
const Recipe& recipe_to_target(const ConvergenceTable& table, const Recipe& usual, const AskedTarget& asked);

/// Throws InputError where `rate` is neither the recipe's base nor what it is on so many ranks, with these.
void check_learning_rate(const Recipe& recipe, double rate, int ranks);

}  // namespace mlsim::workloads
