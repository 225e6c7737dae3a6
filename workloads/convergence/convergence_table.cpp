#include "workloads/convergence/convergence_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>
#include <string_view>

#include "core/text/errors.hpp"
#include "workloads_files.hpp"

namespace mlsim::workloads {
namespace {

double share(const Document& at) {
  const double value = at.number();
  if (!(value >= 0 && value <= 1)) throw at.error(fmt::format("must be between 0 and 1, not {}", value));
  return value;
}

// An RCP's runs come from one code and one site, a result's from a submission of its own.
constexpr double kReferenceRunWeight = 0.25;

double positive(const Document& value) {
  const double number = value.number();
  if (!(number > 0)) throw value.error(fmt::format("must be above 0, not {}", number));
  return number;
}

Source read_source(const Document& at, Provenance usual) {
  Source source{usual, at.at("source").text(), {}};
  if (at.has("provenance")) source.provenance = at.at("provenance").word<Provenance>();
  return source;
}

ConvergencePoint read_point(const Document& at, const Recipe& recipe) {
  const std::string axis = recipe.by_accelerators ? "accelerators" : "batch";
  at.allow_only({axis, "epochs", "runs", "reference_runs", "source"});
  if (at.has("runs") == at.has("reference_runs")) throw at.error("needs either runs or reference_runs");
  ConvergencePoint point;
  point.batch = positive(at.at(axis)) / recipe.units_per_sample;
  point.epochs = positive(at.at("epochs"));
  point.reference = at.has("reference_runs");
  point.weight = point.reference ? kReferenceRunWeight * at.at("reference_runs").count() : at.at("runs").count();
  point.source = at.at("source").text();
  return point;
}

std::vector<ConvergencePoint> read_points(const Document& at, const Recipe& recipe) {
  std::vector<ConvergencePoint> points;
  for (const Document& item : at.items()) {
    points.push_back(read_point(item, recipe));
    if (points.size() > 1 && points.back().batch < points[points.size() - 2].batch)
      throw item.error(
          fmt::format("points stand in order of their {}", recipe.by_accelerators ? "accelerators" : "batch"));
  }
  if (points.empty()) throw at.error("needs at least one point");
  return points;
}

std::vector<ConvergencePoint> shared_points(const Document& at, const Recipe& recipe,
                                            const std::vector<Recipe>& above) {
  std::vector<std::string> names;
  for (const Recipe& r : above) names.push_back(r.name);
  const Recipe& owner =
      above[std::find(names.begin(), names.end(), at.word("recipe above this one", names)) - names.begin()];
  if (!owner.points_of.empty()) throw at.error(fmt::format("has its points of {}; name that recipe", owner.points_of));
  if (owner.points.empty()) throw at.error("has no points");
  if (owner.by_accelerators != recipe.by_accelerators) throw at.error("goes by another quantity than this recipe");
  return owner.points;
}

void read_law(const Document& at, Recipe& recipe) {
  if (!at.is_map()) {
    if (at.word("law", {"isotonic", "constant"}) == "constant") recipe.law = ConvergenceLaw::constant;
    return;
  }
  at.allow_only({"lowest", "critical", "exponent", "up_to"});
  recipe.law = ConvergenceLaw::given;
  recipe.given.lowest = positive(at.at("lowest"));
  recipe.given.critical = positive(at.at("critical"));
  if (at.has("exponent")) recipe.given.exponent = positive(at.at("exponent"));
  recipe.given_up_to = positive(at.at("up_to"));
}

void read_batch_unit(const Document& at, Recipe& recipe) {
  at.allow_only({"name", "per_sample", "provenance", "source"});
  recipe.batch_unit = at.at("name").text();
  recipe.units_per_sample = positive(at.at("per_sample"));
  recipe.batch_unit_source = read_source(at, Provenance::published);
}

// Reads `self_play:` of a recipe; throws InputError with file and line.
SelfPlay read_self_play(const Document& at) {
  at.allow_only({"games", "moves_per_game", "readouts", "fast_readouts", "fast_share", "reused_share", "training_batch",
                 "source"});
  SelfPlay play;
  play.games = at.at("games").count();
  play.moves_per_game = at.at("moves_per_game").count();
  play.readouts = at.at("readouts").count();
  play.fast_readouts = at.at("fast_readouts").count();
  play.fast_share = share(at.at("fast_share"));
  play.reused_share = share(at.at("reused_share"));
  play.training_batch = at.at("training_batch").count();
  play.source = {Provenance::published, at.at("source").text(), {}};
  return play;
}

void read_axis(const Document& at, Recipe& recipe) {
  if (at.has("by")) recipe.by_accelerators = at.at("by").word("axis", {"batch", "accelerators"}) == "accelerators";
  if (at.has("batch_unit")) read_batch_unit(at.at("batch_unit"), recipe);
  if (at.has("self_play")) recipe.self_play = read_self_play(at.at("self_play"));
  if (recipe.by_accelerators && !recipe.self_play)
    throw at.error("a recipe by accelerators needs self_play, which names the training batch");
}

void read_data(const Document& at, const std::vector<Recipe>& above, Recipe& recipe) {
  if (at.has("law")) read_law(at.at("law"), recipe);
  const bool given = recipe.law == ConvergenceLaw::given;
  if (int(at.has("points")) + int(at.has("points_of")) + int(given) != 1)
    throw at.error("needs one of points, points_of and a law with its parameters");
  if (at.has("points")) recipe.points = read_points(at.at("points"), recipe);
  if (at.has("points_of")) {
    recipe.points_of = at.at("points_of").text();
    recipe.points = shared_points(at.at("points_of"), recipe, above);
  }
}

// Reads what the runs reach: `target`, and `reaches:`, what else is published of them.
std::vector<RecipeTarget> read_targets(const Document& at, const Recipe& recipe) {
  std::vector<RecipeTarget> targets;
  if (const auto own = read_target(recipe.target, recipe.source)) targets.push_back(*own);
  if (!at.has("reaches")) return targets;
  for (const Document& item : at.at("reaches").items()) {
    item.allow_only({"target", "source", "provenance"});
    const auto target = read_target(item.at("target").text(), read_source(item, Provenance::published));
    if (!target) throw item.at("target").error("has no number");
    targets.push_back(*target);
  }
  return targets;
}

LearningRate read_learning_rate(const Document& at) {
  at.allow_only({"base", "scaling", "source", "provenance"});
  LearningRate rate{positive(at.at("base")), RateScaling::none, read_source(at, Provenance::published)};
  if (!at.has("scaling")) return rate;
  const std::string word = at.at("scaling").word("scaling", {"linear", "square_root"});
  rate.scaling = word == "linear" ? RateScaling::linear : RateScaling::square_root;
  return rate;
}

constexpr std::string_view kFolder = "convergence/";

std::vector<std::string> recipe_names(const ConvergenceTable& table) {
  std::vector<std::string> names;
  for (const Recipe& r : table.recipes) names.push_back(r.name);
  return names;
}

// Reads one item of `recipes:`. `above` are the recipes read before it, whose points it may share (`points_of`).
// Throws InputError with file, line and the nearest word.
Recipe read_recipe(const Document& at, const std::vector<Recipe>& above) {
  at.allow_only({"name",      "title",       "target",      "samples_per_epoch", "samples_per_rank",
                 "law",       "by",          "batch_unit",  "self_play",         "exact",
                 "clock_era", "evaluations", "init_billed", "provenance",        "source",
                 "points",    "points_of",   "round",       "reaches",           "learning_rate"});
  Recipe recipe;
  recipe.name = at.at("name").text();
  recipe.title = at.at("title").text();
  recipe.target = at.at("target").text();
  recipe.samples_per_epoch = positive(at.at("samples_per_epoch"));
  if (at.has("samples_per_rank")) recipe.samples_per_rank = at.at("samples_per_rank").count();
  if (at.has("round")) recipe.round = at.at("round").text();
  if (at.has("exact")) recipe.exact = at.at("exact").flag();
  recipe.clock_era = at.at("clock_era").text();
  if (at.has("evaluations")) recipe.evaluations = read_evaluation_grid(at.at("evaluations"));
  if (at.has("init_billed")) recipe.init_billed = at.at("init_billed").flag();
  recipe.source = read_source(at, Provenance::published);
  recipe.targets = read_targets(at, recipe);
  if (at.has("learning_rate")) recipe.learning_rate = read_learning_rate(at.at("learning_rate"));
  read_axis(at, recipe);
  read_data(at, above, recipe);
  return recipe;
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

double SelfPlay::positions_per_iteration() const {
  return games * moves_per_game * (1 - reused_share) * ((1 - fast_share) * readouts + fast_share * fast_readouts);
}

std::string ConvergencePoint::submitter() const {
  if (reference) return {};
  const auto begin = source.find(' ');
  if (begin == std::string::npos) return {};
  std::string name = source.substr(begin + 1, source.find(' ', begin + 1) - begin - 1);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

double Recipe::largest() const { return points.empty() ? given_up_to : points.back().batch; }

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
