#include "validation/scores/convergence_errors.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/quantile.hpp"
#include "core/text/errors.hpp"

namespace mlsim::validation {
namespace {

constexpr double kSameBatch = 0.03;

bool leaves(LeaveOut how, const ConvergencePoint& out, const ConvergencePoint& other) {
  if (how == LeaveOut::row) return &out == &other;
  if (how == LeaveOut::batch) return std::abs(other.batch / out.batch - 1) <= kSameBatch;
  return !other.reference && other.submitter() == out.submitter();
}

Recipe without(const Recipe& recipe, LeaveOut how, const ConvergencePoint& out) {
  Recipe rest = recipe;
  rest.points.clear();
  for (const ConvergencePoint& point : recipe.points)
    if (!leaves(how, out, point)) rest.points.push_back(point);
  return rest;
}

// Gives one sigma of the log of a published mean of `runs` runs, from that of a single run.
double mean_spread(const ConvergenceTable& table, const SamplesToTarget& target, double runs) {
  const double run = table.run_spread * table.run_spread;
  return std::sqrt(target.log_spread * target.log_spread - run + run / runs);
}

// `Scores` are collected before they are summed up.
struct Scores {
  std::vector<double> errors;
  int held = 0, unanswered = 0;
};

void score(const ConvergenceTable& table, const Recipe& recipe, LeaveOut how, const ConvergencePoint& out,
           Scores& scores) {
  const Recipe rest = without(recipe, how, out);
  if (rest.points.empty()) {
    ++scores.unanswered;
    return;
  }
  try {
    const auto target = samples_to_target(table, rest, recipe.by_accelerators ? 1 : out.batch,
                                          recipe.by_accelerators ? static_cast<int>(out.batch) : 1);
    scores.errors.push_back(target.epochs / out.epochs - 1);
    const double log_error = std::abs(std::log(target.epochs / out.epochs));
    if (log_error <= kNormal95 * mean_spread(table, target, out.weight)) ++scores.held;
  } catch (const Infeasible&) {
    ++scores.unanswered;
  }
}

LeftOutErrors summed(const Scores& scores) {
  LeftOutErrors all;
  all.error = summary(scores.errors);
  all.unanswered = scores.unanswered;
  if (!scores.errors.empty())
    all.coverage = static_cast<double>(scores.held) / static_cast<double>(scores.errors.size());
  return all;
}

void append(Scores& all, const Scores& more) {
  all.errors.insert(all.errors.end(), more.errors.begin(), more.errors.end());
  all.held += more.held;
  all.unanswered += more.unanswered;
}

bool is_scored(const Recipe& recipe) {
  return recipe.points_of.empty() && !recipe.exact && recipe.law != ConvergenceLaw::given &&
         recipe.source.provenance == Provenance::published;
}

using ScoresByWay = std::array<Scores, kLeaveOuts.size()>;

BenchmarkErrors benchmark_errors(const std::string& benchmark, int results, const ScoresByWay& scores) {
  BenchmarkErrors errors{benchmark, results, {}};
  for (std::size_t i = 0; i < scores.size(); ++i) errors.left_out[i] = summed(scores[i]);
  return errors;
}

int score_table(const ConvergenceTable& table, ScoresByWay& scores) {
  int results = 0;
  for (const Recipe& recipe : table.recipes) {
    if (!is_scored(recipe)) continue;
    for (const ConvergencePoint& point : recipe.points) {
      if (point.reference) continue;
      ++results;
      for (std::size_t i = 0; i < scores.size(); ++i) score(table, recipe, kLeaveOuts[i], point, scores[i]);
    }
  }
  return results;
}

}  // namespace

ConvergenceErrors convergence_errors(const std::vector<ConvergenceTable>& tables) {
  ConvergenceErrors errors;
  ScoresByWay all;
  int results_of_all = 0;
  for (const ConvergenceTable& table : tables) {
    ScoresByWay scores;
    const int results = score_table(table, scores);
    if (results == 0) continue;
    errors.benchmarks.push_back(benchmark_errors(table.benchmark, results, scores));
    results_of_all += results;
    for (std::size_t i = 0; i < all.size(); ++i) append(all[i], scores[i]);
  }
  errors.all = benchmark_errors("all", results_of_all, all);
  return errors;
}

ConvergenceErrors convergence_errors() {
  std::vector<ConvergenceTable> tables;
  for (const std::string& benchmark : convergence_benchmarks()) tables.push_back(convergence_table(benchmark));
  return convergence_errors(tables);
}

std::vector<std::string> misses(const ConvergenceErrors& errors) {
  std::vector<std::string> found;
  for (const MedianBound& bound : kConvergenceBounds) {
    const ErrorSummary& error = errors.all.by(bound.how).error;
    if (error.median > bound.median)
      found.push_back(fmt::format("a {} left out: median error {:.1f} %, bound {:.1f} %", name(bound.how),
                                  100 * error.median, 100 * bound.median));
  }
  return found;
}

}  // namespace mlsim::validation
