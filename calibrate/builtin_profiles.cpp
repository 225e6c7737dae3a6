#include "calibrate/builtin_profiles.hpp"

#include "calibrate_files.hpp"
#include "core/text/text_file.hpp"

namespace mlsim::calibrate {

namespace {

std::vector<Profile> read_builtin_profiles() {
  std::vector<Profile> profiles;
  for (const auto& file : calibrate_files()) {
    profiles.push_back(profile_from_tree(file.tree, "calibrate/catalogue/" + std::string(file.path)));
  }
  return profiles;
}

}  // namespace

const SharedList<Profile>& builtin_profiles() {
  static const SharedList<Profile> all = read_builtin_profiles();
  return all;
}

Profile load_profile(const std::string& path) { return profile_from_json(read_text_file(path), path); }

std::vector<Profile> profiles_with(const std::vector<std::string>& paths) {
  std::vector<Profile> profiles;
  for (const auto& path : paths) profiles.push_back(load_profile(path));
  profiles.insert(profiles.end(), builtin_profiles().begin(), builtin_profiles().end());
  return profiles;
}

}  // namespace mlsim::calibrate
