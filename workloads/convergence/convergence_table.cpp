#include "workloads/convergence/convergence_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>

#include "core/text/errors.hpp"
#include "workloads/convergence/convergence_recipe.hpp"
#include "workloads_files.hpp"

namespace mlsim::workloads {
namespace {

constexpr std::string_view kFolder = "convergence/";

std::vector<std::string> recipe_names(const ConvergenceTable& table) {
  std::vector<std::string> names;
  for (const Recipe& r : table.recipes) names.push_back(r.name);
  return names;
}

void read_recipes(const Document& at, ConvergenceTable& table) {
  for (const Document& item : at.items()) {
    Recipe recipe = read_recipe(item, table.recipes);
    const auto names = recipe_names(table);
    if (std::find(names.begin(), names.end(), recipe.name) != names.end())
      throw item.error(fmt::format("recipe \"{}\" stands twice", recipe.name));
    table.recipes.push_back(std::move(recipe));
  }
  if (table.recipes.empty()) throw at.error("needs at least one recipe");
}

void read_spread(const Document& at, ConvergenceTable& table) {
  at.allow_only({"run_to_run", "between_submissions", "source"});
  table.run_spread = at.at("run_to_run").not_negative_number();
  table.submission_spread = at.at("between_submissions").not_negative_number();
  table.spread_source = {Provenance::fitted, at.at("source").text(), {}};
}

// Returns the file's name without folder and ending; an empty name for other files.
std::string_view benchmark_of(const EmbeddedFile& file) {
  const std::string_view path = file.path;
  if (path.substr(0, kFolder.size()) != kFolder) return {};
  return path.substr(kFolder.size(), path.rfind('.') - kFolder.size());
}

}  // namespace

const Recipe& ConvergenceTable::recipe(const std::string& name) const {
  const auto found = std::find_if(recipes.begin(), recipes.end(), [&](const Recipe& r) { return r.name == name; });
  if (found == recipes.end()) throw InputError(unknown_word("recipe", name, recipe_names(*this)));
  return *found;
}

ConvergenceTable parse_convergence(const Document& at) {
  at.allow_only({"benchmark", "title", "spread", "defaults", "pauses", "recipes"});
  ConvergenceTable table;
  table.benchmark = at.at("benchmark").text();
  table.title = at.at("title").text();
  read_spread(at.at("spread"), table);
  read_recipes(at.at("recipes"), table);
  for (const auto& [family, recipe] : at.at("defaults").entries())
    table.defaults.emplace_back(family, recipe.word("recipe", recipe_names(table)));
  for (const Document& item : at.at("pauses").items()) table.pauses.push_back(read_evaluation_pause(item));
  return table;
}

const EvaluationPause* ConvergenceTable::pause(const Recipe& recipe, const std::string& accelerator_family) const {
  const EvaluationPause* found = nullptr;
  for (const EvaluationPause& p : pauses)
    if (p.belongs_to(recipe.clock_era, accelerator_family) && (found == nullptr || p.family == accelerator_family))
      found = &p;
  return found;
}

const ConvergenceTable& convergence_table(const std::string& benchmark) {
  static std::map<std::string, ConvergenceTable> read;
  static std::mutex reading;
  const std::lock_guard lock(reading);
  if (const auto found = read.find(benchmark); found != read.end()) return found->second;
  for (const EmbeddedFile& file : workloads_files()) {
    if (benchmark_of(file) != benchmark || benchmark.empty()) continue;
    ConvergenceTable table = parse_convergence(Document::embedded(file, std::string(file.path)));
    return read.emplace(benchmark, std::move(table)).first->second;
  }
  throw InputError(unknown_word("benchmark", benchmark, convergence_benchmarks()));
}

std::vector<std::string> convergence_benchmarks() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : workloads_files())
    if (const auto name = benchmark_of(file); !name.empty()) names.emplace_back(name);
  return names;
}

}  // namespace mlsim::workloads
