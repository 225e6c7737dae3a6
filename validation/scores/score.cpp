#include "validation/scores/score.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/quantile.hpp"

namespace mlsim::validation {
namespace {

bool same_group(const GroupScore& group, const Case& c) { return group.source == c.source && group.metric == c.metric; }

// Divides the median of the model by that of the best baseline.
std::optional<double> skill_of(const GroupScore& group) {
  std::optional<double> skill;
  for (std::size_t b = 0; b < kBaselines; ++b) {
    if (group.baselines[b].count == 0 || !(group.baselines[b].median > 0)) continue;
    const double ratio = group.beside[b].median / group.baselines[b].median;
    skill = std::max(skill.value_or(ratio), ratio);
  }
  return skill;
}

// Adds the checks that `counts` names to a group without any.
template <class Counts>
GroupScore score_of(GroupScore group, const std::vector<CaseResult>& results, Counts counts) {
  std::vector<double> errors;
  std::array<std::vector<double>, kBaselines> beside, baselines;
  int held = 0;
  for (const CaseResult& r : results) {
    if (r.what.role != Role::check || !counts(r.what)) continue;
    if (!r.predicted) {
      ++group.refused;
      continue;
    }
    errors.push_back(r.relative_error());
    if (r.interval) {
      ++group.intervals;
      held += r.holds() ? 1 : 0;
    }
    for (std::size_t b = 0; b < kBaselines; ++b) {
      if (!r.baselines[b]) continue;
      beside[b].push_back(r.relative_error());
      baselines[b].push_back(*r.baselines[b] / r.what.value - 1);
    }
  }
  group.error = summary(errors);
  for (std::size_t b = 0; b < kBaselines; ++b) {
    group.baselines[b] = summary(baselines[b]);
    group.beside[b] = summary(beside[b]);
  }
  group.skill = skill_of(group);
  group.coverage = group.intervals > 0 ? static_cast<double>(held) / group.intervals : 0;
  return group;
}

}  // namespace

ErrorSummary summary(const std::vector<double>& signed_errors) {
  ErrorSummary out;
  if (signed_errors.empty()) return out;
  std::vector<double> sizes;
  double sum = 0;
  for (double e : signed_errors) {
    sizes.push_back(std::abs(e));
    sum += e;
  }
  std::sort(sizes.begin(), sizes.end());
  out.count = static_cast<int>(sizes.size());
  out.median = quantile(sizes, 0.5);
  out.p90 = quantile(sizes, 0.9);
  out.max = sizes.back();
  out.bias = sum / static_cast<double>(sizes.size());
  return out;
}

std::vector<TrustScore> trust_scores(const std::vector<CaseResult>& results) {
  std::vector<TrustScore> scores;
  for (std::size_t i = 0; i < names<TrustLevel>().size(); ++i) {
    const auto level = static_cast<TrustLevel>(i);
    std::vector<double> errors;
    for (const CaseResult& r : results)
      if (r.scored() && r.what.metric == Metric::throughput && r.trust && r.trust->level == level)
        errors.push_back(r.relative_error());
    scores.push_back({level, summary(errors)});
  }
  return scores;
}

std::vector<GroupScore> group_scores(const std::vector<CaseResult>& results) {
  std::vector<GroupScore> groups;
  for (const CaseResult& r : results) {
    if (r.what.role != Role::check) continue;
    const bool known = std::any_of(groups.begin(), groups.end(), [&](const auto& g) { return same_group(g, r.what); });
    if (known) continue;
    GroupScore group;
    group.source = r.what.source;
    group.metric = r.what.metric;
    groups.push_back(group);
  }
  for (GroupScore& group : groups)
    group = score_of(group, results, [&](const Case& c) { return same_group(group, c); });
  return groups;
}

GroupScore overall(const std::vector<CaseResult>& results, Metric metric) {
  GroupScore all;
  all.source = "all";
  all.metric = metric;
  return score_of(all, results, [&](const Case& c) { return c.metric == metric; });
}

}  // namespace mlsim::validation
