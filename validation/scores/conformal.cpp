#include "validation/scores/conformal.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/quantile.hpp"
#include "sim/evidence/step_difficulty.hpp"

namespace mlsim::validation {
namespace {

// Gives the half-width of a log-normal part in quadrature with others, with another factor in place of the usual one.
double refitted(double half_width, double part, double refitted_part) {
  const double others = half_width * half_width - part * part;
  // A step that was measured in part is narrower than its footing alone would have it.
  if (others < 0) return half_width * refitted_part / part;
  return std::sqrt(others + refitted_part * refitted_part);
}

template <class Counts>
double share_held(const std::vector<IntervalCheck>& checks, const LeftOutFactors& factors, Counts counts) {
  std::map<std::pair<std::string, Footing>, double> known;
  int all = 0, held = 0;
  for (const IntervalCheck& check : checks) {
    if (!counts(check)) continue;
    const auto [factor, fresh] = known.try_emplace({check.source, check.footing});
    if (fresh) factor->second = factors.without(check.source, check.footing);
    ++all;
    held += holds_with(check, factor->second) ? 1 : 0;
  }
  return all > 0 ? static_cast<double>(held) / all : 0;
}

}  // namespace

Asking calibrating(Footing footing) {
  switch (footing) {
    case Footing::same_software:
    case Footing::over_pcie: break;
    case Footing::other_software:
    case Footing::operators:
    case Footing::mixture_operators: return {Telling::as_stated, Hidden::table, {}};
    case Footing::open_software: return {Telling::as_asked, Hidden::nothing, {}};
    case Footing::open_fusion: return {Telling::in_earnest, Hidden::nothing, {}};
    case Footing::no_run: return {Telling::as_stated, Hidden::network, {}};
    case Footing::like_model: break;
    case Footing::open_operators: return {Telling::bare, Hidden::nothing, {}};
  }
  return {};
}

bool sets_factor(Footing scored, Footing footing) {
  return scored == footing || (footing == Footing::operators && scored == Footing::mixture_operators);
}

std::vector<ConformalScore> conformal_scores(const ValidationReport& report) {
  std::vector<ConformalScore> scores;
  for (const CaseResult& r : report.cases) {
    const bool rate = r.what.metric == Metric::throughput || r.what.metric == Metric::step_time;
    if (r.scored() && rate && r.trust)
      scores.push_back(
          {r.what.source, r.trust->footing, std::abs(std::log(*r.predicted / r.what.value)) / r.trust->log_difficulty});
  }
  return scores;
}

double conformal_factor_of(std::vector<ConformalScore> scores, Footing footing) {
  constexpr double kShare = 0.9;
  std::sort(scores.begin(), scores.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
  if (footing != Footing::operators) {
    std::vector<double> ascending;
    for (const ConformalScore& each : scores) ascending.push_back(each.score);
    return quantile(ascending, kShare);
  }
  std::map<std::string, double> rows;
  for (const ConformalScore& each : scores) ++rows[each.source];
  double below = 0;
  for (const ConformalScore& each : scores) {
    below += 1 / rows[each.source];
    if (below >= kShare * static_cast<double>(rows.size())) return each.score;
  }
  return scores.back().score;
}

std::vector<IntervalCheck> interval_checks(const ValidationReport& report) {
  std::vector<IntervalCheck> checks;
  for (const CaseResult& r : report.cases) {
    if (!r.scored() || !r.interval) continue;
    IntervalCheck check{r.what.source, r.what.metric};
    if (r.trust && !r.what.options.job.throughput) {
      check.footing = r.trust->footing;
      check.difficulty = r.trust->log_difficulty;
    }
    check.error = std::log(r.what.value / *r.predicted);
    check.below = std::log(*r.predicted / (*r.interval)[0]);
    check.above = std::log((*r.interval)[1] / *r.predicted);
    checks.push_back(std::move(check));
  }
  return checks;
}

bool holds_with(const IntervalCheck& check, double factor) {
  const double part = sim::conformal_factor(check.footing) * check.difficulty, other = factor * check.difficulty;
  const double half_width = check.error < 0 ? check.below : check.above;
  return std::abs(check.error) <= (part > 0 ? refitted(half_width, part, other) : half_width);
}

void LeftOutFactors::add(const ValidationReport& report) {
  for (ConformalScore& each : conformal_scores(report))
    if (calibrating(each.footing) == report.asking) scores_.push_back(std::move(each));
}

double LeftOutFactors::without(const std::string& source, Footing footing) const {
  std::vector<ConformalScore> left;
  for (const ConformalScore& each : scores_)
    if (sets_factor(each.footing, footing) && each.source != source) left.push_back(each);
  if (left.size() < kTellingGroup) return sim::conformal_factor(footing);
  return conformal_factor_of(std::move(left), footing);
}

double LeftOutFactors::coverage(const std::vector<IntervalCheck>& checks, const std::string& source,
                                Metric metric) const {
  return share_held(checks, *this,
                    [&](const IntervalCheck& check) { return check.source == source && check.metric == metric; });
}

double LeftOutFactors::coverage(const std::vector<IntervalCheck>& checks, Metric metric) const {
  return share_held(checks, *this, [&](const IntervalCheck& check) { return check.metric == metric; });
}

}  // namespace mlsim::validation
