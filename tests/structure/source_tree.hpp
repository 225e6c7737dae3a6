// The rules of the source tree that a compiler does not check: who may include whom, and what no file may hold.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/namespace.hpp"

namespace mlsim::test {

/// Breaches of the rules under `root`, as "file:line: what is wrong", sorted; build folders and hidden ones are
/// skipped.
///
/// Folders: each includes only itself and those its row of the table in source_tree.cpp names. Third parties: each only
/// behind its wall. Files of code: at most 400 lines, no task left open. Every text file: no path of one machine. And
/// what named_paths.hpp, type_names.hpp and rooms.hpp say.
std::vector<std::string> breaches(const std::filesystem::path& root);

}  // namespace mlsim::test
