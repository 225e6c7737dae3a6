// An `AnchorSpeed` is the speed of kernels that an anchor gives; a prior for steps without a run is fitted to them.
#pragma once

#include <string>
#include <vector>

#include "validation/cases/answers.hpp"
#include "validation/cases/cases.hpp"
#include "validation/namespace.hpp"

namespace mlsim::validation {

struct AnchorSpeed {
  std::string id;
  double speed = 1;  // factor on the efficiency curve
};

/// Gives the speed of every anchor among `cases` whose system and network can be had, in their order, several processes
/// at a time.
std::vector<AnchorSpeed> anchor_speeds(const std::vector<Case>& cases, const SharedList<Profile>& profiles,
                                       const AnswerOptions& options = {});

/// Writes "id,speed", a line each, speeds to four digits, as validation/published/derived/anchor_speeds.csv stores
/// them.
std::string anchor_speeds_csv(const std::vector<AnchorSpeed>& speeds);

}  // namespace mlsim::validation
