// Reading of catalogue/convergence/*.yaml into ConvergenceTable.
#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "workloads/convergence.hpp"
#include "workloads_files.hpp"

namespace mlsim {
namespace {

constexpr std::string_view kFolder = "convergence/";

// An RCP's runs come from one code and one site, a result's from a submission of its own.
constexpr double kReferenceRunWeight = 0.25;

double positive(const Document& value) {
  const double number = value.number();
  if (!(number > 0)) throw value.error(fmt::format("must be above 0, not {}", number));
  return number;
}

double not_negative(const Document& value) {
  const double number = value.number();
  if (!(number >= 0)) throw value.error(fmt::format("must not be negative, not {}", number));
  return number;
}

ConvergencePoint read_point(const Document& at) {
  at.allow_only({"batch", "epochs", "runs", "reference_runs", "source"});
  if (at.has("runs") == at.has("reference_runs")) throw at.error("needs either runs or reference_runs");
  ConvergencePoint point;
  point.batch = positive(at.at("batch"));
  point.epochs = positive(at.at("epochs"));
  point.weight = at.has("runs") ? at.at("runs").count() : kReferenceRunWeight * at.at("reference_runs").count();
  point.source = at.at("source").text();
  return point;
}

std::vector<ConvergencePoint> read_points(const Document& at) {
  std::vector<ConvergencePoint> points;
  for (const Document& item : at.items()) points.push_back(read_point(item));
  if (points.empty()) throw at.error("needs at least one point");
  std::stable_sort(points.begin(), points.end(),
                   [](const ConvergencePoint& a, const ConvergencePoint& b) { return a.batch < b.batch; });
  return points;
}

EvaluationGrid read_evaluations(const Document& at) {
  at.allow_only({"before", "first_epoch", "every_epochs"});
  EvaluationGrid grid;
  if (at.has("before")) grid.before = at.at("before").count(0);
  if (at.has("first_epoch")) grid.first = not_negative(at.at("first_epoch"));
  grid.every = positive(at.at("every_epochs"));
  return grid;
}

Recipe read_recipe(const Document& at) {
  at.allow_only({"name", "title", "target", "samples_per_epoch", "law", "exact", "clock_era", "evaluations",
                 "init_billed", "source", "points"});
  Recipe recipe;
  recipe.name = at.at("name").text();
  recipe.title = at.at("title").text();
  recipe.target = at.at("target").text();
  recipe.samples_per_epoch = positive(at.at("samples_per_epoch"));
  if (at.has("law") && at.at("law").word("law", {"isotonic", "constant"}) == "constant")
    recipe.law = ConvergenceLaw::constant;
  if (at.has("exact")) recipe.exact = at.at("exact").flag();
  recipe.clock_era = at.at("clock_era").text();
  if (at.has("evaluations")) recipe.evaluations = read_evaluations(at.at("evaluations"));
  if (at.has("init_billed")) recipe.init_billed = at.at("init_billed").flag();
  recipe.source = {Provenance::published, at.at("source").text(), {}};
  recipe.points = read_points(at.at("points"));
  return recipe;
}

EvaluationPause read_pause(const Document& at) {
  at.allow_only({"family", "era", "fixed", "passes", "provenance", "source"});
  EvaluationPause pause;
  pause.family = at.at("family").word("accelerator family", {"gpu", "tpu", "other"});
  pause.era = at.at("era").text();
  pause.fixed = at.at("fixed").quantity<Seconds>();
  pause.passes = not_negative(at.at("passes"));
  pause.source.provenance = parse_provenance(at.at("provenance").word("provenance", provenance_names()));
  pause.source.source = at.at("source").text();
  return pause;
}

std::vector<std::string> recipe_names(const ConvergenceTable& table) {
  std::vector<std::string> names;
  for (const Recipe& r : table.recipes) names.push_back(r.name);
  return names;
}

void read_recipes(const Document& at, ConvergenceTable& table) {
  for (const Document& item : at.items()) {
    Recipe recipe = read_recipe(item);
    const auto names = recipe_names(table);
    if (std::find(names.begin(), names.end(), recipe.name) != names.end())
      throw item.error(fmt::format("recipe \"{}\" stands twice", recipe.name));
    table.recipes.push_back(std::move(recipe));
  }
  if (table.recipes.empty()) throw at.error("needs at least one recipe");
}

void read_spread(const Document& at, ConvergenceTable& table) {
  at.allow_only({"run_to_run", "between_submissions", "source"});
  table.run_spread = not_negative(at.at("run_to_run"));
  table.submission_spread = not_negative(at.at("between_submissions"));
  table.spread_source = {Provenance::fitted, at.at("source").text(), {}};
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
  for (const Document& item : at.at("pauses").items()) table.pauses.push_back(read_pause(item));
  return table;
}

const ConvergenceTable& convergence_table(const std::string& benchmark) {
  static const std::vector<ConvergenceTable> tables = [] {
    std::vector<ConvergenceTable> all;
    for (const EmbeddedFile& file : workloads_files()) {
      if (file.path.substr(0, kFolder.size()) == kFolder)
        all.push_back(parse_convergence(Document::parse(file.text, std::string(file.path))));
    }
    return all;
  }();
  std::vector<std::string> names;
  for (const ConvergenceTable& table : tables) {
    if (table.benchmark == benchmark) return table;
    names.push_back(table.benchmark);
  }
  throw InputError(unknown_word("benchmark", benchmark, names));
}

std::vector<std::string> convergence_benchmarks() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : workloads_files()) {
    if (file.path.substr(0, kFolder.size()) != kFolder) continue;
    names.push_back(Document::parse(file.text, std::string(file.path)).at("benchmark").text());
  }
  return names;
}

}  // namespace mlsim
