#include "calibrate/builtin_profiles.hpp"

#include <utility>

#include "calibrate_files.hpp"
#include "core/text_file.hpp"

namespace mlsim::calibrate {

std::vector<Profile> builtin_profiles() {
  std::vector<Profile> profiles;
  for (const auto& file : calibrate_files()) {
    profiles.push_back(profile_from_json(std::string(file.text), "calibrate/catalogue/" + std::string(file.path)));
  }
  return profiles;
}

Profile load_profile(const std::string& path) { return profile_from_json(read_text_file(path), path); }

std::vector<Profile> profiles_with(const std::vector<std::string>& paths) {
  std::vector<Profile> profiles;
  for (const auto& path : paths) profiles.push_back(load_profile(path));
  for (auto& profile : builtin_profiles()) profiles.push_back(std::move(profile));
  return profiles;
}

}  // namespace mlsim::calibrate
