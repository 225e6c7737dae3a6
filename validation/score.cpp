#include "validation/score.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/quantile.hpp"

namespace mlsim::validation {
namespace {

bool same_group(const GroupScore& group, const Case& c) { return group.source == c.source && group.metric == c.metric; }

GroupScore score_of(const GroupScore& empty, const std::vector<CaseResult>& results) {
  GroupScore group = empty;
  std::vector<double> errors, beside, linear;
  int held = 0;
  for (const CaseResult& r : results) {
    if (!same_group(group, r.what) || r.what.role != Role::check) continue;
    if (!r.predicted) {
      ++group.refused;
      continue;
    }
    errors.push_back(r.relative_error());
    if (r.interval) {
      ++group.intervals;
      held += r.holds() ? 1 : 0;
    }
    if (r.linear) {
      beside.push_back(r.relative_error());
      linear.push_back(*r.linear / r.what.value - 1);
    }
  }
  group.error = summary(errors);
  group.linear = summary(linear);
  group.error_beside_linear = summary(beside);
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
      if (r.scored() && r.what.metric == Metric::throughput && r.trust == level) errors.push_back(r.relative_error());
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
  for (GroupScore& group : groups) group = score_of(group, results);
  return groups;
}

}  // namespace mlsim::validation
