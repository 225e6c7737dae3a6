// The rooms of the product code: the folders one level below the top, "sim/plan" of "sim/plan/batch_choice.cpp". What
// stands loose in a folder at the top makes one more room, "core/.".
#pragma once

#include <string>
#include <vector>

#include "tests/namespace.hpp"
#include "tree_file.hpp"

namespace mlsim::test {

/// Breaches of two rules: no rooms include one another in a circle; and sim/ holds rooms and namespace.hpp, no other
/// code. Tests have no rooms.
std::vector<std::string> room_breaches(const std::vector<TreeFile>& files);

}  // namespace mlsim::test
