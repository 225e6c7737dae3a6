// The files that documents and comments name.
#pragma once

#include <string>
#include <vector>

#include "tests/namespace.hpp"
#include "tree_file.hpp"

namespace mlsim::test {

/// Breaches of the rule that a file of this project which a document or a comment names ("core/units.hpp") is there.
/// Checked are names that begin with a folder at the top of the tree, but for those behind the name of another project
/// ("NVIDIA/deepops, docs/a.md") and those with wildcards; not checked are files of kinds that this project has none
/// of.
std::vector<std::string> absent_paths(const std::vector<TreeFile>& files);

}  // namespace mlsim::test
