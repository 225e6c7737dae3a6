#include "room_circles.hpp"

#include <fstream>
#include <map>
#include <regex>
#include <set>

namespace mlsim::test {
namespace {

namespace fs = std::filesystem;

using Rooms = std::map<std::string, std::set<std::string>>;  // a room -> those it includes

Rooms rooms_of(const fs::path& root, const std::string& top) {
  const std::regex include("\\s*#\\s*include\\s*\"" + top + "/([^/\"]+)/[^\"]*\".*");
  Rooms rooms;
  for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
    const fs::path inside = entry.path().lexically_relative(root / top);
    const std::string room = inside.begin()->string();
    const auto extension = entry.path().extension();
    if (room == inside || (extension != ".cpp" && extension != ".hpp")) continue;
    std::ifstream in(entry.path());
    std::smatch match;
    for (std::string line; std::getline(in, line);) {
      if (std::regex_match(line, match, include) && match[1] != room) rooms[room].insert(match[1]);
    }
  }
  return rooms;
}

// From a room by way of others back to it, breadth first; empty where no way leads back.
std::string way_round(const Rooms& rooms, const std::string& from) {
  std::vector<std::pair<std::string, std::string>> ways{{from, from}};  // a room, and how it is reached
  std::set<std::string> seen;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto [room, way] = ways[i];
    const auto included = rooms.find(room);
    if (included == rooms.end()) continue;
    for (const std::string& next : included->second) {
      if (next == from) return way + " > " + from;
      if (seen.insert(next).second) ways.emplace_back(next, way + " > " + next);
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> room_circles(const fs::path& root, const std::string& top) {
  const Rooms rooms = rooms_of(root, top);
  std::vector<std::string> circles;
  for (const auto& [room, included] : rooms) {
    if (std::string way = way_round(rooms, room); !way.empty()) circles.push_back(std::move(way));
  }
  return circles;
}

}  // namespace mlsim::test
