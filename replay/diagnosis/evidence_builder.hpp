// An EvidenceBuilder collects figures and the hypotheses on them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "replay/diagnosis/hypothesis.hpp"

namespace mlsim::replay {

/// A subject says who is meant by a figure, and on which host it runs; the host may be empty.
struct MeasuredSubject {
  std::string where;  // "rank 3"
  std::string host;
};

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
