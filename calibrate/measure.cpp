#include "calibrate/measure.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "calibrate/error_tolerance.hpp"
#include "calibrate/stopping_rule.hpp"

namespace mlsim::calibrate {
namespace {

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

}  // namespace mlsim::calibrate
