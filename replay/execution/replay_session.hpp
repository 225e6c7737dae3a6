// A replay from its order to its run file, on every rank alike.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "calibrate/collectives/communicator.hpp"
#include "calibrate/collectives/world.hpp"
#include "core/replay_run.hpp"
#include "replay/execution/node_kernels.hpp"
#include "replay/execution/replay_plan.hpp"
#include "replay/namespace.hpp"

namespace mlsim::replay {

/// Warms up; then runs, in turns, the step, its kernels alone and its exchanges alone, each behind a barrier, so that
/// what else the machine does meanwhile slows all three alike. The run has what ranks tell: times, spans, clocks. On
/// every rank, with the whole of it on rank 0. Collective. A rank that fails ends all (World::abort).
ReplayRun replayed(const ReplayOrder& order, const ReplayPlan& plan, calibrate::World& world, NodeKernels& kernels,
                   calibrate::Communicator& library);

}  // namespace mlsim::replay
