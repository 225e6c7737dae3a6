// yaml_files() lists the files of a catalogue's folder.
#pragma once

#include <string>
#include <vector>

namespace mlsim {

/// Returns the sorted paths of the YAML files (.yaml, .yml) in the folder itself. Throws InputError with `folder` where
/// the folder is missing, is no folder, or cannot be read.
std::vector<std::string> yaml_files(const std::string& folder);

}  // namespace mlsim
