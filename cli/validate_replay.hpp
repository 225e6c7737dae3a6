// mlsim validate replay: a run of `mlsim replay` against its prediction.
#pragma once

#include <string>
#include <vector>

#include "cli/namespace.hpp"

namespace mlsim::cli {

struct ReplayCheck {
  std::string run, topology, bound, format, output;
  std::vector<std::string> profiles;
};

/// 1 where the error is beyond the bound. Throws InputError.
int validate_replay(const ReplayCheck& check);

}  // namespace mlsim::cli
