#include "rooms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

namespace mlsim::test {
namespace {

using Rooms = std::set<std::string>;
using Includes = std::map<std::string, Rooms>;  // room -> rooms that it includes

// Empty of a file that is in no folder, or of tests.
std::string room_of(const std::string& path) {
  const auto top = path.find('/');
  if (top == std::string::npos || path.starts_with("tests/")) return {};
  const auto next = path.find('/', top + 1);
  return next == std::string::npos ? path.substr(0, top) + "/." : path.substr(0, next);
}

Includes includes_of(const std::vector<TreeFile>& files) {
  Includes includes;
  for (const TreeFile& file : files) {
    const std::string from = room_of(file.path);
    if (from.empty() || !file.is_source()) continue;
    for (const std::string& line : file.lines)
      if (const std::string to = room_of(included(line)); !to.empty() && to != from) includes[from].insert(to);
  }
  return includes;
}

// All rooms that `from` includes, directly or through others.
Rooms reached(const Includes& includes, const std::string& from) {
  Rooms seen;
  std::vector<std::string> open{from};
  while (!open.empty()) {
    const auto found = includes.find(open.back());
    open.pop_back();
    if (found == includes.end()) continue;
    for (const std::string& room : found->second)
      if (seen.insert(room).second) open.push_back(room);
  }
  return seen;
}

}  // namespace

std::vector<std::string> room_breaches(const std::vector<TreeFile>& files) {
  std::vector<std::string> found;
  for (const TreeFile& file : files)
    if (file.is_source() && room_of(file.path) == "sim/." && file.path != "sim/namespace.hpp")
      found.push_back(fmt::format("{}:1: stands loose in sim/", file.path));
  const Includes includes = includes_of(files);
  Rooms told;
  for (const auto& [room, next] : includes) {
    if (told.count(room) > 0) continue;
    Rooms circle;
    for (const std::string& other : reached(includes, room))
      if (reached(includes, other).count(room) > 0) circle.insert(other);
    if (circle.empty()) continue;
    found.push_back(fmt::format("{}: includes in a circle: {}", room, fmt::join(circle, ", ")));
    told.insert(circle.begin(), circle.end());
  }
  return found;
}

}  // namespace mlsim::test
