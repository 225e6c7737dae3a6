#include "calibrate/builtin_profiles.hpp"

#include <fstream>
#include <iterator>

#include "calibrate_files.hpp"
#include "core/errors.hpp"

namespace mlsim {

std::vector<Profile> builtin_profiles() {
  std::vector<Profile> profiles;
  for (const auto& file : calibrate_files()) {
    profiles.push_back(profile_from_json(std::string(file.text), "calibrate/catalogue/" + std::string(file.path)));
  }
  return profiles;
}

Profile load_profile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path, "cannot be opened; does the file exist?");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) throw InputError(path, "cannot be read; is it a file?");
  return profile_from_json(text, path);
}

}  // namespace mlsim
