// An EmbeddedFile is a catalogue file that the build put into the program.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mlsim {

struct EmbeddedFile {
  std::string_view path;  // inside its catalogue folder, "machines/dgx2.yaml"
  std::string_view text;
  std::string_view tree = {};  // of YAML and JSON: what document_tree.hpp and json_tree.hpp make of the text
};

/// Returns the file of that path. Throws std::logic_error where the build put in none.
inline const EmbeddedFile& file_at(const std::vector<EmbeddedFile>& files, std::string_view path) {
  const auto found = std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.path == path; });
  if (found == files.end()) throw std::logic_error(std::string(path) + " was not embedded");
  return *found;
}

}  // namespace mlsim
