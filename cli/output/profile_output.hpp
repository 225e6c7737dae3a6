// A profile that a command leaves behind is written here.
#pragma once

#include <string>

#include "cli/namespace.hpp"
#include "core/profile/profile.hpp"

namespace mlsim::cli {

/// Writes the profile to the file `output`, and says on stderr what it holds.
void write_profile(const std::string& output, const Profile& profile);

}  // namespace mlsim::cli
