// An `UnusedProfile` is a profile of one's own that changes nothing in an answer, and why not.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/namespace.hpp"
#include "sim/plan/request.hpp"

namespace mlsim::sim {

struct UnusedProfile {
  std::size_t place = 0;  // in the user's profiles
  std::string reason;     // "it is of v100-pcie, and the accelerators here are h100-sxm5"
};

/// Finds those of the first `given` of the user's profiles without which every request has the very same answer: all
/// are asked anew without the profile, in closed form where that can answer. Requests that have no answer count for
/// nothing.
std::vector<UnusedProfile> unused_profiles(const std::vector<PredictRequest>& requests, std::size_t given);

}  // namespace mlsim::sim
