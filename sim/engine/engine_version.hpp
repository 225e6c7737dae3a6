// Which engine this program was built with.
#pragma once

#include <string>

namespace mlsim {

/// "3.32 (no git)": SimGrid's own version text.
std::string engine_version();

}  // namespace mlsim
