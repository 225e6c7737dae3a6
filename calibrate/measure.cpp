#include "calibrate/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "calibrate/sample_statistics.hpp"

namespace mlsim::calibrate {
namespace {

// The noise is stable once its own relative standard deviation over the last samples is small: this is nvbench's second
// criterion (nvbench/detail/stdrel_criterion.cxx), which has 5 % over 512 samples. The window is shorter here because
// kernels of processors take milliseconds and a thousand samples are the most.
constexpr std::size_t kStableWindow = 64;
constexpr double kStableChange = 0.05;

// The first run touches memory and builds what a library builds late, two more let clocks rise; a run that takes long
// is warm after one. The share of the time limit keeps slow kernels within it.
constexpr int kWarmUps = 3;
constexpr double kWarmUpShare = 0.1;

void warm_up(Timed& timed, const MeasureOrder& order, const Clock& now) {
  const Seconds begin = now();
  for (int i = 0; i < kWarmUps; ++i) {
    timed.sample(order.cache);
    if (now() - begin >= order.rule.time_limit * kWarmUpShare) return;
  }
}

MeasureReply empty_reply(const MeasureOrder& order) {
  MeasureReply reply;
  reply.subject = order.subject;
  reply.threads = order.threads;
  reply.cache = order.cache;
  return reply;
}

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

MeasureReply unavailable_reply(const MeasureOrder& order, const std::string& why) {
  MeasureReply reply = empty_reply(order);
  reply.unavailable = why.empty() ? "failed without a reason" : why;
  return reply;
}

Seconds steady_now() {
  return Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

MeasureReply measure(Timed& timed, const MeasureOrder& order, const Clock& now) {
  MeasureReply reply = empty_reply(order);
  const double error = timed.largest_error(), tolerance = error_tolerance(order.subject);
  if (!(error <= tolerance)) {  // also where it is no number
    return unavailable_reply(
        order, fmt::format("wrong result: an error of {:.2g} of the largest element, above {:.2g}", error, tolerance));
  }
  warm_up(timed, order, now);
  StoppingDecision decision(order.rule);
  std::optional<StoppedBy> reason;
  for (const Seconds begin = now(); !reason; reason = decision.reason(now() - begin))
    decision.take(timed.sample(order.cache));
  reply.time = decision.statistics();
  if (reply.time.lower_quartile <= Seconds(0)) return unavailable_reply(order, "too short for the clock");
  reply.stopped_by = *reason;
  reply.largest_error = error;
  reply.bytes = timed.bytes();
  reply.flop = timed.flop();
  reply.implementation = timed.implementation();
  return reply;
}

// A sum of k products errs by sqrt(k) to k unit roundoffs of the format it is added up in (Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd ed., 3.1 and 4.2). fp32 (6e-8) with k up to 1e6 stays under 6e-5, fast
// convolutions lose one more digit of what is then 6e-6. tf32 and fp16 keep 11 bits of each factor (5e-4), bf16 8 bits
// (4e-3), fp8 4 bits (6e-2), added up in fp32; results are stored in the format once more. Wrong results, of a wrong
// stride, an unwritten tail or a missing term, err by a tenth and more.
double error_tolerance(Precision precision) {
  switch (precision) {
    case Precision::fp32: return 1e-4;
    case Precision::tf32: return 1e-2;
    case Precision::fp16:
    case Precision::bf16: return 2e-2;
    default: return 0.15;
  }
  return 0;
}

double error_tolerance(std::string_view subject) {
  double widest = error_tolerance(Precision::fp32);
  while (!subject.empty()) {
    const auto end = std::min(subject.find(' '), subject.size());
    for (const auto& word : names<Precision>())
      if (word == subject.substr(0, end)) widest = std::max(widest, error_tolerance(parse<Precision>(word)));
    subject.remove_prefix(std::min(end + 1, subject.size()));
  }
  return widest;
}

}  // namespace mlsim::calibrate
