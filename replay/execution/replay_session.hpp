// replayed() takes a replay from its order to its run file, on every rank alike.
#pragma once

#include "calibrate/collectives/communicator.hpp"
#include "calibrate/collectives/world.hpp"
#include "core/result/replay_run.hpp"
#include "replay/execution/replay_plan.hpp"
#include "replay/namespace.hpp"

namespace mlsim::replay {

/// One step shows that the ranks' weights are those of one rank on the joined batch, where the network learns
/// (replay/execution/learnt_network.hpp). Then the replay warms up; then it runs, in turns, the step, its kernels alone
/// and its exchanges alone, each behind a barrier, so that what else the machine does meanwhile slows all three alike.
/// Every rank has the whole run, but for what is told of the machine. The call is collective. Throws Unavailable on all
/// ranks alike; a rank that fails in the middle ends all (World::abort).
ReplayRun replayed(const ReplayOrder& order, const ReplayPlan& plan, calibrate::World& world,
                   calibrate::Communicator& library);

}  // namespace mlsim::replay
