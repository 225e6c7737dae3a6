// A `StoppingDecision` says, sample by sample, when a measurement has seen enough.
#pragma once

#include <optional>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/profile/measurement.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

/// It has three verbs: it takes a sample, says whether that was enough, and sums up. The caller keeps the time.
class StoppingDecision {
 public:
  explicit StoppingDecision(const StoppingRule& rule) : rule_(rule) {}

  void take(Seconds sample);
  /// Returns why to stop now, `elapsed` after the first sample was begun; empty: go on. It waits for min_samples; the
  /// first of these counts: noise below the rule's, most samples taken, time up, noise that no longer changes.
  std::optional<StoppedBy> reason(Seconds elapsed) const;
  SampleStatistics statistics() const;

 private:
  bool noise_is_stable() const;

  StoppingRule rule_;
  std::vector<double> ascending_;
  std::vector<double> noises_;  // after each sample from min_samples on
};

}  // namespace mlsim::calibrate
