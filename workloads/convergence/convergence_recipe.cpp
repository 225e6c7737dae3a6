#include "workloads/convergence/convergence_recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/text/errors.hpp"

namespace mlsim::workloads {
namespace {

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

}  // namespace

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

Recipe read_recipe(const Document& at, const std::vector<Recipe>& above) {
  at.allow_only({"name", "title", "target", "samples_per_epoch", "law", "by", "batch_unit", "self_play", "exact",
                 "clock_era", "evaluations", "init_billed", "provenance", "source", "points", "points_of", "round"});
  Recipe recipe;
  recipe.name = at.at("name").text();
  recipe.title = at.at("title").text();
  recipe.target = at.at("target").text();
  recipe.samples_per_epoch = positive(at.at("samples_per_epoch"));
  if (at.has("round")) recipe.round = at.at("round").text();
  if (at.has("exact")) recipe.exact = at.at("exact").flag();
  recipe.clock_era = at.at("clock_era").text();
  if (at.has("evaluations")) recipe.evaluations = read_evaluation_grid(at.at("evaluations"));
  if (at.has("init_billed")) recipe.init_billed = at.at("init_billed").flag();
  recipe.source = read_source(at, Provenance::published);
  read_axis(at, recipe);
  read_data(at, above, recipe);
  return recipe;
}

}  // namespace mlsim::workloads
