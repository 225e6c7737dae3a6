// Hypotheses on what makes some times longer, weighed against the times that were observed.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "replay/diagnosis/cause.hpp"

namespace mlsim::replay {

/// One figure of one worker or link: the logarithm of its typical time, and which of a group it is.
struct Observation {
  std::size_t group = 0;
  double value = 0;
};

/// Figures that would be equal if nothing was wrong.
struct ObservationGroup {
  SeenIn seen = SeenIn::compute;
  bool level_known = false;  // it is 0, as of input that nobody waits for; else the median of those not affected
  double step_noise = 0;     // standard deviation of a figure by its few steps
};

/// One free parameter: the figures of `affected`, all of one group, are larger by one amount above 0.
struct Hypothesis {
  CauseKind kind = CauseKind::slow_rank;
  std::string where;
  std::vector<std::size_t> affected;  // observations
};

struct TimesEvidence {
  std::vector<ObservationGroup> groups;
  std::vector<Observation> observations;
  std::vector<Hypothesis> hypotheses;
};

struct WeighedHypothesis {
  std::size_t hypothesis = 0;
  double shift = 0;                                            // estimated amount
  double noise = 0;                                            // standard deviation of what is left in its group
  double log_odds = -std::numeric_limits<double>::infinity();  // against nothing
};

/// Log odds of a hypothesis against nothing: difference of log likelihoods of the residuals, Student's t round a robust
/// scale, less half the logarithm of the figures for its parameter (Schwarz's criterion) and the
/// logarithm of the number of hypotheses of its kind, so that nothing and each kind are as likely before. In the order of
/// the hypotheses; minus infinity where it cannot be asked or nothing is larger. O(hypotheses x group).
std::vector<WeighedHypothesis> weighed(const TimesEvidence& evidence);

}  // namespace mlsim::replay
