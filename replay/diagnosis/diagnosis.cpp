#include "replay/diagnosis/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/process/activity.hpp"

namespace mlsim::replay {
namespace {

constexpr double kLeastLikelihood = 0.01;
constexpr std::size_t kMostBesides = 8;
// Odds of 10 are strong evidence (Jeffreys, Theory of Probability, 1961; Kass & Raftery, Bayes factors, JASA 90, 1995).
constexpr double kStrongOdds = 10;

struct Ranking {
  std::vector<Cause> causes;
  std::vector<WeighedHypothesis> weighed;  // of each cause
  double nothing = 1;
};

// The ranker has the causes in `mended` taken out already.
class Ranker {
 public:
  Ranker(const TimesEvidence& evidence, const MendedTime& time, const std::vector<Mend>& mended)
      : evidence_(evidence), time_(time), mended_(mended), whole_(time({})), now_(time(mended)) {}

  // Causes that cost too little to matter are left out before likelihoods add up to 1.
  Ranking ranking() const {
    std::vector<WeighedHypothesis> costly;
    std::vector<double> savings;
    for (const WeighedHypothesis& each : weighed(evidence_)) {
      if (each.log_odds < std::log(kLeastLikelihood)) continue;
      const double saved = saving(each);
      if (!(saved >= kLeastSaving)) continue;  // a step of no time saves no number
      costly.push_back(each);
      savings.push_back(saved);
    }
    double most = 0;  // nothing's
    for (const auto& each : costly) most = std::max(most, each.log_odds);
    double sum = std::exp(-most);
    for (const auto& each : costly) sum += std::exp(each.log_odds - most);
    Ranking result;
    result.nothing = std::exp(-most) / sum;
    for (std::size_t i = 0; i < costly.size(); ++i) {
      const double likelihood = std::exp(costly[i].log_odds - most) / sum;
      if (likelihood < kLeastLikelihood) continue;
      result.causes.push_back(cause(costly[i], likelihood, savings[i]));
      result.weighed.push_back(costly[i]);
    }
    return result;
  }

 private:
  double saving(const WeighedHypothesis& each) const {
    std::vector<Mend> mends = mended_;
    mends.push_back({&evidence_.hypotheses[each.hypothesis], std::exp(each.shift)});
    return (now_ - time_(mends)) / whole_;
  }

  Cause cause(const WeighedHypothesis& each, double likelihood, double saved) const {
    const Hypothesis& hypothesis = evidence_.hypotheses[each.hypothesis];
    const SeenIn seen = evidence_.groups[evidence_.observations[hypothesis.affected.front()].group].seen;
    return {hypothesis.kind, hypothesis.where, seen, std::exp(each.shift), each.noise, likelihood, saved};
  }

  const TimesEvidence& evidence_;
  const MendedTime& time_;
  const std::vector<Mend>& mended_;
  double whole_, now_;
};

std::vector<std::size_t> by_likelihood(const Ranking& ranked) {
  std::vector<std::size_t> order(ranked.causes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return ranked.causes[a].likelihood > ranked.causes[b].likelihood;
  });
  return order;
}

bool is_found(const Ranking& ranked) {
  return !ranked.causes.empty() && ranked.nothing * kStrongOdds < 1 - ranked.nothing;
}

std::string confirming_test(const Cause& cause) {
  switch (cause.kind) {
    case CauseKind::slow_rank:
      return fmt::format(
          "let {} change places with another rank: a slow device makes its new rank slow, while a rank that has more "
          "to do "
          "stays slow",
          cause.where);
    case CauseKind::slow_host:
      if (cause.seen == SeenIn::collective)
        return fmt::format("repeat the test between {} and hosts that it was not tested with, and on it alone",
                           cause.where);
      return fmt::format("run a benchmark of computing alone on every device of {}, and on one of another host",
                         cause.where);
    case CauseKind::slow_link:
      return fmt::format("run nccl-tests (sendrecv_perf) over {} alone, and over another of its kind", cause.where);
    case CauseKind::uneven_stage:
      return fmt::format("move a layer out of {}: its time falls by that layer's share if the split is uneven",
                         cause.where);
    case CauseKind::uneven_micro_batches:
      return "run some steps with micro-batches of equal length, packed or padded: the passes are then alike";
    case CauseKind::late_input: return "run some steps with synthetic input, which is never late";
  }
  return {};
}

const Cause* of_kind(CauseKind kind, const Cause& a, const Cause& b) {
  return a.kind == kind ? &a : b.kind == kind ? &b : nullptr;
}

}  // namespace

Diagnosis diagnosis(const TimesEvidence& evidence, const MendedTime& time) {
  const Activity activity("weighing causes");
  Diagnosis result;
  TimesEvidence left = evidence;
  std::vector<Mend> mended;
  Ranking ranked = Ranker(left, time, mended).ranking();
  result.nothing = ranked.nothing;
  if (!is_found(ranked)) return result;
  for (const std::size_t i : by_likelihood(ranked)) result.causes.push_back(ranked.causes[i]);
  result.tell_apart = telling_test(result.causes);
  while (is_found(ranked) && result.besides.size() < kMostBesides) {
    const WeighedHypothesis& first = ranked.weighed[by_likelihood(ranked).front()];
    const Hypothesis& hypothesis = evidence.hypotheses[first.hypothesis];
    mended.push_back({&hypothesis, std::exp(first.shift)});
    for (const std::size_t i : hypothesis.affected) left.observations[i].value -= first.shift;
    ranked = Ranker(left, time, mended).ranking();
    if (is_found(ranked)) result.besides.push_back(ranked.causes[by_likelihood(ranked).front()]);
  }
  return result;
}

std::string telling_test(const std::vector<Cause>& causes) {
  if (causes.empty()) return {};
  if (causes.size() == 1) return confirming_test(causes.front());
  const Cause &a = causes[0], &b = causes[1];
  if (a.kind == b.kind) return confirming_test(a) + fmt::format("; then the same of {}", b.where);
  if (of_kind(CauseKind::uneven_micro_batches, a, b))
    return confirming_test(*of_kind(CauseKind::uneven_micro_batches, a, b));
  if (of_kind(CauseKind::late_input, a, b)) return confirming_test(*of_kind(CauseKind::late_input, a, b));
  if (const Cause* stage = of_kind(CauseKind::uneven_stage, a, b)) {
    const Cause& other = stage == &a ? b : a;
    return fmt::format("run {} on other devices: an uneven stage stays slow there, and {} stays behind, as a {}",
                       stage->where, other.where, name(other.kind));
  }
  if (of_kind(CauseKind::slow_link, a, b)) {
    const Cause& other = a.kind == CauseKind::slow_link ? b : a;
    if (other.seen == SeenIn::collective)
      return fmt::format(
          "repeat the test between {} and hosts that it was not tested with: a slow link does not show there",
          other.where);
    return fmt::format("run a benchmark of computing alone on {}: a slow link does not show in it", other.where);
  }
  return confirming_test(*of_kind(CauseKind::slow_host, a, b)) + ": a slow rank is slow alone";
}

}  // namespace mlsim::replay
