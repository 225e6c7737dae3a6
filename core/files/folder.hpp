// The files of a folder.
#pragma once

#include <string>
#include <vector>

namespace mlsim {

/// Paths of the YAML files (.yaml, .yml) in the folder itself, sorted. Throws InputError with `folder` where it is
/// missing, no folder, or cannot be read.
std::vector<std::string> yaml_files(const std::string& folder);

}  // namespace mlsim
