// Hypotheses say what makes some times longer; they are weighed against the times that were observed.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "replay/diagnosis/cause.hpp"

namespace mlsim::replay {

/// An observation is one figure of one worker or link: the logarithm of its typical time, and its group.
struct Observation {
  std::size_t group = 0;
  double value = 0;
};

/// A group's figures would be equal if nothing was wrong.
struct ObservationGroup {
  SeenIn seen = SeenIn::compute;
  bool level_known = false;  // it is 0, as of input that nobody waits for; else the median of those not affected
  double step_noise = 0;     // standard deviation of a figure by its few steps
};

/// A hypothesis has one free parameter: the figures of `affected`, all of one group, are larger by one amount above 0.
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

/// Returns the log odds of each hypothesis against nothing: the difference of log likelihoods of the residuals,
/// Student's t round a robust scale, less half the logarithm of the figures for its parameter (Schwarz's criterion) and
/// the logarithm of the number of hypotheses of its kind, so that nothing and each kind are as likely before. They
/// stand in the order of the hypotheses; minus infinity where one cannot be asked or nothing is larger. O(hypotheses x
/// group).
std::vector<WeighedHypothesis> weighed(const TimesEvidence& evidence);

}  // namespace mlsim::replay
