#include "workloads/convergence/recipe_round.hpp"

#include <charconv>
#include <string_view>

#include "workloads/convergence/convergence.hpp"

namespace mlsim::workloads {
namespace {

// Returns "lars-mxnet" of "v1.1-lars-mxnet", "sgd" of "v0.7-sgd-gpu" on GPUs, "lamb" of "v2.0-lamb-reference", which
// results follow; nothing for a recipe of another family.
std::optional<std::string> code_of(const std::string& recipe, const std::string& accelerator_family) {
  const auto dash = recipe.find('-');
  std::string code = dash == std::string::npos ? "" : recipe.substr(dash + 1);
  if (constexpr std::string_view reference = "-reference"; code.ends_with(reference))
    code.resize(code.size() - reference.size());
  for (const std::string family : {"gpu", "tpu"}) {
    if (!code.ends_with("-" + family)) continue;
    if (family != accelerator_family) return std::nullopt;
    code.resize(code.size() - family.size() - 1);
  }
  return code;
}

}  // namespace

std::optional<double> mlperf_round(const std::string& name) {
  const std::string start = name.starts_with("mlperf-v") ? "mlperf-v" : "v";
  if (!name.starts_with(start)) return std::nullopt;
  double round = 0;
  const char* first = name.data() + start.size();
  const auto read = std::from_chars(first, name.data() + name.size(), round, std::chars_format::fixed);
  return read.ec == std::errc() ? std::optional(round) : std::nullopt;
}

std::string recipe_of_round(const std::string& benchmark, const std::string& accelerator_family, double round) {
  const std::string usual = default_recipe(benchmark, accelerator_family);
  const auto usual_code = code_of(usual, accelerator_family);
  const ConvergenceTable& table = convergence_table(benchmark);
  const bool timed = table.pause(table.recipe(usual), accelerator_family) != nullptr;
  const Recipe* found = nullptr;
  bool found_usual = false;
  double found_round = 0;
  for (const Recipe& recipe : table.recipes) {
    const auto of = mlperf_round(recipe.round.empty() ? recipe.name : recipe.round);
    const auto code = code_of(recipe.name, accelerator_family);
    if (!of || !code || *of > round) continue;
    if (timed && table.pause(recipe, accelerator_family) == nullptr) continue;  // nobody ran it on the family
    const bool same = code == usual_code;
    const bool better = found == nullptr || (same && !found_usual) || (same == found_usual && *of > found_round);
    if (!better) continue;
    found = &recipe;
    found_usual = same;
    found_round = *of;
  }
  return found == nullptr ? usual : found->name;
}

}  // namespace mlsim::workloads
