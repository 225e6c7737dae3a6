// The files that documents and comments name.
#pragma once

#include <string>
#include <vector>

#include "tests/namespace.hpp"
#include "tree_file.hpp"

namespace mlsim::test {

/// Breaches of the rule that what a document or a comment names of this project is there. Checked are, in documents and
/// comments, files that begin with a folder at the top of the tree ("core/units.hpp"); in comments of code, sources
/// without a folder ("units.hpp") and folders that begin with a name of some folder ("sim/plan/", "plan/") or are one
/// word. What stands behind the name of another project ("NVIDIA/deepops, docs/a.md") and wildcards are left out, and
/// so are files of kinds that this project has none of.
std::vector<std::string> absent_paths(const std::vector<TreeFile>& files);

}  // namespace mlsim::test
