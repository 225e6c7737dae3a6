// replay_question() asks the question whose answer is to be what a replay measured.
#pragma once

#include <string>

#include "core/profile/profile.hpp"
#include "core/result/replay_run.hpp"
#include "replay/namespace.hpp"
#include "sim/plan/request.hpp"

namespace mlsim::replay {

/// Errors name these files.
struct ReplayFiles {
  std::string run, profile;
};

/// Throws InputError where the profile is of another machine than the run, was begun after it, or has no kernels with
/// as many threads.
void check_profile(const ReplayRun& run, const Profile& profile, const ReplayFiles& files);

/// Asks the same step on `topology`, with the profile alone to know kernels and collectives by; of its kernels only
/// those with as many threads as the run's count. Where the topology's name leaves nodes and ranks open they are the
/// run's.
PredictRequest replay_question(const ReplayRun& run, Profile profile, const std::string& topology);

}  // namespace mlsim::replay
