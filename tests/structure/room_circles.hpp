// Rooms of a folder that include one another in a circle, so that none of them can be read or built first.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mlsim::test {

/// For each folder right below `root`/`top` that includes itself by way of others, the shortest way round:
/// "fold > engine > fold". Sorted.
std::vector<std::string> room_circles(const std::filesystem::path& root, const std::string& top);

}  // namespace mlsim::test
