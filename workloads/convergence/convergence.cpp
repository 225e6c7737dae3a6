#include "workloads/convergence/convergence.hpp"

#include <fmt/format.h>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/text/errors.hpp"
#include "workloads/convergence/batch_law.hpp"

namespace mlsim::workloads {
namespace {

// Leaving out rows, batches and submitters of MLPerf Training v0.5-v1.0 and its reference convergence points (13
// benchmarks, 236 rows) chose the limits and spreads of the rule.
constexpr double kSameBatch = 0.015;  // a point this near answers for the batch
constexpr double kWarnAbove = 1.5;    // times the largest batch with a point
constexpr double kRefuseAbove = 5;
constexpr double kAtPoint = 0.015, kInside = 0.08, kBelow = 0.10;  // one sigma of the log of the epochs
double above_spread(double beyond) { return beyond <= 1.5 ? 0.09 : beyond <= 2.5 ? 0.13 : 0.20; }

// Where a single batch is known, nothing tells how epochs change away from it.
constexpr double kNoTrend = 0.30;

// A run is one draw, and the mean of about ten runs stands behind a point.
constexpr double kRunsBehindPoint = 10;

struct Epochs {
  double value = 0;
  Position position = Position::at_point;
  double spread = kAtPoint;
};

std::vector<WeightedPoint> weighted(const std::vector<ConvergencePoint>& points) {
  std::vector<WeightedPoint> all;
  for (const ConvergencePoint& p : points) all.push_back({p.batch, p.epochs, p.weight});
  return all;
}

double mean(const std::vector<WeightedPoint>& points) {
  double sum = 0, weight = 0;
  for (const WeightedPoint& p : points) {
    sum += p.y * p.weight;
    weight += p.weight;
  }
  return sum / weight;
}

std::vector<WeightedPoint> near(const std::vector<WeightedPoint>& points, double batch) {
  std::vector<WeightedPoint> found;
  std::copy_if(points.begin(), points.end(), std::back_inserter(found),
               [&](const WeightedPoint& p) { return std::abs(p.x / batch - 1) <= kSameBatch; });
  return found;
}

// Returns the fitted law, scaled to pass through the last two points (in the mean of the logarithms).
double extrapolated(const std::vector<WeightedPoint>& curve, double batch) {
  const BatchLaw law = fitted_batch_law(curve);
  const std::size_t last = std::min<std::size_t>(2, curve.size());
  double log_scale = 0;
  for (auto p = curve.end() - static_cast<std::ptrdiff_t>(last); p != curve.end(); ++p)
    log_scale += std::log(p->y / law(p->x)) / static_cast<double>(last);
  return std::exp(log_scale) * law(batch);
}

Epochs given_epochs(const Recipe& recipe, double batch) {
  const double epochs = recipe.given(batch);
  if (batch <= recipe.given_up_to) return {epochs, Position::inside, kInside};
  return {epochs, Position::above, above_spread(batch / recipe.given_up_to)};
}

Epochs epochs_at(const Recipe& recipe, double batch) {
  if (recipe.law == ConvergenceLaw::given) return given_epochs(recipe, batch);
  const std::vector<WeightedPoint> points = weighted(recipe.points);
  if (recipe.law == ConvergenceLaw::constant) return {mean(points), Position::at_point, kAtPoint};
  if (const auto here = near(points, batch); !here.empty()) return {mean(here), Position::at_point, kAtPoint};
  const std::vector<WeightedPoint> raw = merged(points);
  const std::vector<WeightedPoint> curve = isotonic(raw);
  if (curve.size() == 1) return {curve[0].y, batch < curve[0].x ? Position::below : Position::above, kNoTrend};
  if (batch < curve.front().x) return {curve.front().y, Position::below, kBelow};
  if (batch < curve.back().x) return {interpolated(curve, batch), Position::inside, kInside};
  return {std::max(curve.back().y, extrapolated(raw, batch)), Position::above, above_spread(batch / curve.back().x)};
}

const char* axis(const Recipe& recipe) { return recipe.by_accelerators ? "number of accelerators" : "global batch"; }

std::string range_text(const Recipe& recipe, double beyond) {
  return fmt::format("{:.3g} times the largest {} with published results ({})", beyond,
                     recipe.by_accelerators ? "system" : "batch", count_text(recipe.largest()));
}

// Returns 1 inside the data; refuses where nothing is known.
double distance_beyond(const ConvergenceTable& table, const Recipe& recipe, double size) {
  if (recipe.law == ConvergenceLaw::constant) return 1;
  const double largest = recipe.largest();
  const double beyond = std::max(1.0, size / largest);
  if (beyond <= kRefuseAbove) return beyond;
  throw Infeasible(
      fmt::format("recipe {} of {}: a {} of {} is {}; nothing is known of convergence there; "
                  "the nearest {} with an answer is {}",
                  recipe.name, table.benchmark, axis(recipe), count_text(size), range_text(recipe, beyond),
                  recipe.by_accelerators ? "number" : "batch", count_text(kRefuseAbove * largest)));
}

constexpr double kFinest = 1e-6;  // step of the law, where there is no grid

// Epochs are lognormal with the law as their mean, snapped to evaluations.
double run_epochs(const ConvergenceTable& table, const Recipe& recipe, double law, double batch, double share) {
  if (recipe.exact) return law;
  const double s = table.run_spread;
  const double free = law * std::exp(s * normal_quantile(share) - s * s / 2);
  if (recipe.evaluations.interval(batch, recipe.samples_per_epoch) == 0)
    return law * kFinest * std::round(free / (law * kFinest));
  return recipe.evaluations.nearest(free, law, batch, recipe.samples_per_epoch);
}

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

SamplesToTarget samples_to_target(const ConvergenceTable& table, const Recipe& recipe, double global_batch,
                                  int accelerators) {
  if (!(global_batch >= 1) || !std::isfinite(global_batch))
    throw InputError(fmt::format("a global batch must be at least 1 sample, not {}", global_batch));
  if (accelerators < 1) throw InputError(fmt::format("a job needs at least 1 accelerator, not {}", accelerators));
  const double size = recipe.by_accelerators ? accelerators : global_batch;
  const double beyond = distance_beyond(table, recipe, size);

  const Epochs epochs = epochs_at(recipe, size);
  SamplesToTarget out;
  out.epochs = epochs.value;
  out.samples = epochs.value * recipe.samples_per_epoch;
  out.position = epochs.position;
  out.beyond = beyond;
  out.recipe = recipe.name;
  if (!recipe.exact) {
    const double run = table.run_spread * std::sqrt(1 + 1 / kRunsBehindPoint);
    out.log_spread = std::hypot(std::hypot(run, table.submission_spread), epochs.spread);
  }
  if (beyond > kWarnAbove)
    out.warnings.push_back(
        fmt::format("samples to target are extrapolated: the {} is {}", axis(recipe), range_text(recipe, beyond)));
  return out;
}

SamplesToTarget samples_to_target(const std::string& benchmark, const std::string& recipe, double global_batch,
                                  int accelerators) {
  const ConvergenceTable& table = convergence_table(benchmark);
  return samples_to_target(table, table.recipe(recipe), global_batch, accelerators);
}

std::vector<Recipe> recipes(const std::string& benchmark) { return convergence_table(benchmark).recipes; }

std::optional<std::string> recipe_of(const std::string& benchmark, const std::string& accelerator) {
  for (const auto& [whose, recipe] : convergence_table(benchmark).defaults)
    if (whose == accelerator) return recipe;
  return std::nullopt;
}

std::string default_recipe(const std::string& benchmark, const std::string& accelerator_family) {
  if (auto recipe = recipe_of(benchmark, accelerator_family)) return *std::move(recipe);
  std::vector<std::string> known;
  for (const auto& [whose, recipe] : convergence_table(benchmark).defaults) known.push_back(whose);
  throw InputError(unknown_word("accelerator family", accelerator_family, known));
}

double largest_known_batch(const std::string& benchmark, const std::string& recipe) {
  const Recipe& known = convergence_table(benchmark).recipe(recipe);
  return known.by_accelerators ? known.self_play->training_batch : known.largest();
}

std::optional<int> samples_per_rank(const std::string& benchmark, const std::string& recipe) {
  const int samples = convergence_table(benchmark).recipe(recipe).samples_per_rank;
  return samples > 0 ? std::optional(samples) : std::nullopt;
}

double normal_quantile(double share) {
  if (!(share > 0 && share < 1)) throw InputError(fmt::format("a share of runs lies between 0 and 1, not {}", share));
  return boost::math::quantile(boost::math::normal(), share);
}

double epochs_quantile(const ConvergenceTable& table, const Recipe& recipe, double global_batch, double share,
                       int accelerators) {
  const double law = samples_to_target(table, recipe, global_batch, accelerators).epochs;
  return run_epochs(table, recipe, law, global_batch, share);
}

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
