// The types that headers declare.
#pragma once

#include <string>
#include <vector>

#include "tests/namespace.hpp"
#include "tree_file.hpp"

namespace mlsim::test {

/// Breaches of the rule that no name of a type (struct, class, union, enum, using) at the level of a namespace is
/// declared in two headers, whatever their namespaces: the one word then means two things. Declarations alone
/// ("struct A;") and specialisations do not count. What stands at the level of a namespace begins its line.
std::vector<std::string> repeated_types(const std::vector<TreeFile>& files);

}  // namespace mlsim::test
