#include "studies/common_target.hpp"

#include <functional>
#include <map>
#include <set>

namespace mlsim::studies {

bool targets_differ(const std::vector<AnsweredTarget>& answers) {
  std::map<std::string, std::string> targets;  // by workload
  for (const AnsweredTarget& answer : answers) {
    if (answer.target.empty()) continue;
    const auto [known, fresh] = targets.try_emplace(answer.workload, answer.target);
    if (!fresh && known->second != answer.target) return true;
  }
  return false;
}

std::vector<std::string> common_recipes(const std::vector<AnsweredTarget>& answers, const JobOptions& job) {
  if (!targets_differ(answers) || job.has_length() || !job.recipe.empty() || job.target || job.target_loss) return {};
  std::set<std::string, std::greater<>> recipes;
  for (const AnsweredTarget& answer : answers)
    if (!answer.target.empty() && !answer.recipe.empty()) recipes.insert(answer.recipe);
  return {recipes.begin(), recipes.end()};
}

}  // namespace mlsim::studies
