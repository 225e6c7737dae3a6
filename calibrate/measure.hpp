// measure() is the measuring loop: check the result, warm up, sample until the rule is content.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/kernel/precision.hpp"
#include "core/profile/measurement.hpp"
#include "core/units.hpp"
#include "kernels/timed.hpp"

namespace mlsim::calibrate {

/// A `StoppingDecision` says, sample by sample, when a measurement has seen enough. It has three verbs: it takes a
/// sample, says whether that was enough, and sums up. The caller keeps the time.
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

using Clock = std::function<Seconds()>;

/// Reads this process's monotonic clock.
Seconds steady_now();

/// `now` is for the time limit, which counts all that a sample costs (flushing caches, too); the samples' own times
/// come from `timed`. A result beyond its tolerance (error_tolerance) is answered as unavailable and not timed.
/// `clock` of the reply is left empty.
MeasureReply measure(Timed& timed, const MeasureOrder& order, const Clock& now = steady_now);

/// Answers an order that cannot be carried out, and says why.
MeasureReply unavailable_reply(const MeasureOrder& order, const std::string& why);

/// Returns how far the result of a kernel may lie from its reference before its time means nothing. The error is the
/// largest absolute difference to a reference in float64 over the largest absolute element of it.
double error_tolerance(Precision precision);
/// The tolerance is that of the coarsest format among the words of a subject, "kernel dense_forward bf16 64 512 10"; of
/// fp32 where none is named.
double error_tolerance(std::string_view subject);

}  // namespace mlsim::calibrate
