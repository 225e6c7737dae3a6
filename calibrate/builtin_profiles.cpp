#include "calibrate/builtin_profiles.hpp"

#include <map>
#include <utility>

#include "calibrate_files.hpp"
#include "core/text/text_file.hpp"

namespace mlsim::calibrate {

namespace {

// The first of each pair has the second's chip, and so its curves and stacks.
constexpr std::pair<const char*, const char*> kTwins[] = {{"a100-pcie-80gb", "a100-pcie-40gb"},
                                                          {"a100-sxm4-80gb", "a100-pcie-40gb"},
                                                          {"h200-sxm", "h100-sxm5"},
                                                          {"k40", "k80"},
                                                          {"v100-pcie-32gb", "v100-pcie"},
                                                          {"v100-sxm2-32gb", "v100-pcie"},
                                                          {"v100-sxm3-32gb", "v100-sxm2-16gb"}};

std::vector<Profile> read_builtin_profiles() {
  std::map<std::string, Profile> profiles;  // by file
  for (const auto& file : calibrate_files())
    profiles.emplace(file.path, profile_from_tree(file.tree, "calibrate/catalogue/" + std::string(file.path)));
  for (const auto& [twin, other] : kTwins) {
    Profile profile = profiles.at(std::string(other) + ".json");
    profile.accelerator = twin;
    profiles.emplace(std::string(twin) + ".json", std::move(profile));
  }
  std::vector<Profile> all;
  for (auto& [file, profile] : profiles) all.push_back(std::move(profile));
  return all;
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
