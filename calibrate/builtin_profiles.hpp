// These are the profiles that come with mlsim: calibrate/catalogue/*.json, one file an accelerator or several alike.
#pragma once

#include <string>
#include <vector>

#include "calibrate/namespace.hpp"
#include "core/profile/profile.hpp"
#include "core/shared_list.hpp"

namespace mlsim::calibrate {

/// Returns all built-in profiles, in order of their accelerators' names.
const SharedList<Profile>& builtin_profiles();

/// Reads a profile from disk; throws InputError with file and key.
Profile load_profile(const std::string& path);

/// Lists the user's own profiles in the order given, then the built-in ones: of two that know a figure the first wins.
std::vector<Profile> profiles_with(const std::vector<std::string>& paths);

}  // namespace mlsim::calibrate
