// Hypotheses say what makes some times longer; they are weighed against the times that were observed.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
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

/// A subject says who is meant by a figure, and on which host it runs; the host may be empty.
struct MeasuredSubject {
  std::string where;  // "rank 3"
  std::string host;
};

/// An EvidenceBuilder collects figures and the hypotheses on them.
class EvidenceBuilder {
 public:
  /// Adds a group of figures, one for each subject in their order; returns the first observation's place.
  std::size_t add_group(ObservationGroup group, const std::vector<double>& values);
  void add(CauseKind kind, std::string where, std::vector<std::size_t> affected) {
    evidence_.hypotheses.push_back({kind, std::move(where), std::move(affected)});
  }
  /// Adds a hypothesis for each subject of the group that begins at `first`: `kind` of "rank 3 (host n1)".
  void add_each(CauseKind kind, const std::vector<MeasuredSubject>& subjects, std::size_t first);
  /// Adds a hypothesis for each host that has several of the subjects but not all of them.
  void add_hosts(CauseKind kind, const std::vector<MeasuredSubject>& subjects, std::size_t first);

  TimesEvidence take() { return std::move(evidence_); }

 private:
  TimesEvidence evidence_;
};

/// Returns "1 step", "3 steps".
std::string counted(std::size_t count, const std::string& what);

double median_value(std::vector<double> values);
/// Returns the standard deviation of the median of a figure's samples: 1.2533 / sqrt(n) of their robust spread.
double median_noise(const std::vector<double>& samples);

}  // namespace mlsim::replay
