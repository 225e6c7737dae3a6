#include "calibrate/stopping_rule.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/sample_statistics.hpp"

namespace mlsim::calibrate {
namespace {

// The noise is stable once its own relative standard deviation over the last samples is small: this is nvbench's second
// criterion (nvbench/detail/stdrel_criterion.cxx), which has 5 % over 512 samples. The window is shorter here because
// kernels of processors take milliseconds and a thousand samples are the most.
constexpr std::size_t kStableWindow = 64;
constexpr double kStableChange = 0.05;

}  // namespace

void StoppingDecision::take(Seconds sample) {
  ascending_.insert(std::upper_bound(ascending_.begin(), ascending_.end(), sample.value), sample.value);
  if (ascending_.size() >= static_cast<std::size_t>(rule_.min_samples)) noises_.push_back(noise(statistics()));
}

std::optional<StoppedBy> StoppingDecision::reason(Seconds elapsed) const {
  if (noises_.empty()) return {};
  if (noises_.back() <= rule_.noise) return StoppedBy::noise;
  if (ascending_.size() >= static_cast<std::size_t>(rule_.max_samples)) return StoppedBy::max_samples;
  if (elapsed >= rule_.time_limit) return StoppedBy::time_limit;
  if (noise_is_stable()) return StoppedBy::stable_noise;
  return {};
}

SampleStatistics StoppingDecision::statistics() const { return sorted_statistics(ascending_); }

bool StoppingDecision::noise_is_stable() const {
  if (noises_.size() < kStableWindow) return false;
  double sum = 0, squares = 0;
  for (auto at = noises_.end() - kStableWindow; at != noises_.end(); ++at) {
    sum += *at;
    squares += *at * *at;
  }
  if (!std::isfinite(squares)) return false;
  const double mean = sum / kStableWindow;
  const double variance = std::max(0.0, squares / kStableWindow - mean * mean);
  return std::sqrt(variance) <= kStableChange * mean;
}

}  // namespace mlsim::calibrate
