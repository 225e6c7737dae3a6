// The text files of a source tree.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/namespace.hpp"

namespace mlsim::test {

struct TreeFile {
  std::string path;  // inside the tree, with '/'
  std::vector<std::string> lines;

  bool ends_with(std::string_view ending) const { return std::string_view(path).ends_with(ending); }
  bool is_header() const { return ends_with(".hpp") || ends_with(".h") || ends_with(".cuh"); }
  bool is_source() const { return is_header() || ends_with(".cpp") || ends_with(".cu"); }
};

/// All text files under `root`, sorted by path; build folders and hidden ones are skipped.
std::vector<TreeFile> tree_files(const std::filesystem::path& root);

/// What a line includes, "core/units.hpp"; empty where it includes nothing.
std::string included(const std::string& line);

}  // namespace mlsim::test
