// The answers to one job are held against each other where they train to one target: this is the recipe of that target.
#pragma once

#include <string>
#include <vector>

#include "sim/options/options.hpp"
#include "studies/namespace.hpp"

namespace mlsim::studies {

/// An `AnsweredTarget` is what one answer trains to, and by which recipe; both may be empty.
struct AnsweredTarget {
  std::string workload, target, recipe;
};

/// Tells whether two answers of one workload train to different targets.
bool targets_differ(const std::vector<AnsweredTarget>& answers);

/// Lists the recipes by which all may be asked again to train to one target, the newest first, as their names have the
/// round: "v0.7-lamb" before "v0.6"; none where all train to one, or where `job` names a recipe, a target or a length.
std::vector<std::string> common_recipes(const std::vector<AnsweredTarget>& answers, const JobOptions& job);

}  // namespace mlsim::studies
