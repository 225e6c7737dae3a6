// The timeline of a measured run has the form of that of a simulated step.
#pragma once

#include "core/result/replay_run.hpp"
#include "reports/namespace.hpp"
#include "sim/step/timeline.hpp"

namespace mlsim::reports {

/// Every rank is a class of its own; the steps one after the other.
sim::Timeline measured_timeline(const ReplayRun& run);

}  // namespace mlsim::reports
