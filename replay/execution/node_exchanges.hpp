// node_exchanges() gives a rank's exchanges with their buffers in place, by node of the step graph.
#pragma once

#include <map>
#include <memory>

#include "calibrate/collectives/communicator.hpp"
#include "replay/execution/replay_plan.hpp"
#include "replay/namespace.hpp"

namespace mlsim::replay {

/// Payloads are fp32 elements, rounded up to a multiple of the ranks where each has a part. A push to servers is an
/// all-to-all whose parts each server adds up; a pull an all-to-all in which each sends its part to all: the same
/// messages. Throws Unavailable for what a library cannot do or what is not run here.
std::map<workloads::StepVertex, std::unique_ptr<calibrate::Exchange>> node_exchanges(const ReplayPlan& plan, int rank,
                                                                                     int ranks,
                                                                                     calibrate::Communicator& library);

}  // namespace mlsim::replay
