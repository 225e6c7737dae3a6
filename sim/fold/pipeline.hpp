// add_waits() computes the waiting inside a pipelined stage: a slow hop of a line or tree waits for those around it.
#pragma once

#include "sim/fold/placed_schedule.hpp"
#include "sim/namespace.hpp"

namespace mlsim::sim {

/// Fills `waits` of the groups of a stage that have hops slower than their quickest one.
///
/// A pipeline of hops with times t_h moves m messages in sum(t_h) + (m - 1) max(t_h): the slowest hop's own m messages
/// after the others' first one. So a slow hop is a flow of its own messages that waits for the chain of hops around it,
/// and the others, which keep pace, are flows over all rounds that end together. `payload` decides which of two chains
/// is longer. A link that several hops of the stage cross counts with all their bytes.
void add_waits(const PlacedSchedule& placement, PlacedStage& stage, Bytes payload);

}  // namespace mlsim::sim
