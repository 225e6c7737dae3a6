#include "core/files/folder.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/text/errors.hpp"

namespace mlsim {

std::vector<std::string> yaml_files(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> paths;
  for (auto at = std::filesystem::directory_iterator(folder, error);
       !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    const std::string ending = at->path().extension().string();
    if (ending == ".yaml" || ending == ".yml") paths.push_back(at->path().string());
  }
  if (error) throw InputError(folder, "cannot be read as a folder: " + error.message());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace mlsim
