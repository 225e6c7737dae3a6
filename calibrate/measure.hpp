// measure() is the measuring loop: check the result, warm up, sample until the rule is content.
#pragma once

#include <functional>
#include <string>

#include "calibrate/namespace.hpp"
#include "core/profile/measurement.hpp"
#include "core/units.hpp"
#include "kernels/timed.hpp"

namespace mlsim::calibrate {

using Clock = std::function<Seconds()>;

/// Reads this process's monotonic clock.
Seconds steady_now();

/// `now` is for the time limit, which counts all that a sample costs (flushing caches, too); the samples' own times
/// come from `timed`. A result beyond its tolerance (error_tolerance.hpp) is answered as unavailable and not timed.
/// `clock` of the reply is left empty.
MeasureReply measure(Timed& timed, const MeasureOrder& order, const Clock& now = steady_now);

/// Answers an order that cannot be carried out, and says why.
MeasureReply unavailable_reply(const MeasureOrder& order, const std::string& why);

}  // namespace mlsim::calibrate
