#include "named_paths.hpp"

#include <fmt/format.h>

#include <regex>
#include <set>
#include <string_view>

namespace mlsim::test {
namespace {

// The part of a line that people read: all of a document's, of code what stands behind the mark of a comment.
std::string_view prose(const TreeFile& file, std::string_view line) {
  if (file.ends_with(".md")) return line;
  const char* const mark = file.is_source() ? "//" : "#";
  const bool has_comments = file.is_source() || file.ends_with(".yaml") || file.ends_with(".cmake") ||
                            file.ends_with("CMakeLists.txt") || file.ends_with(".sh");
  const auto begin = has_comments ? line.find(mark) : std::string_view::npos;
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

// "NVIDIA/deepops, " or "`NVIDIA/deepops`, " before the name of a file: it is one of that project.
bool ends_with_project(const std::string& text) {
  static const std::regex project(R"([\w-]+/[\w.-]+`?, ?$)");
  return std::regex_search(text, project);
}

std::set<std::string> absent_in(std::string_view text, const std::set<std::string>& paths,
                                const std::set<std::string>& folders) {
  static const std::regex pattern(R"(([\w.-]+)(/[\w.-]+)*/[\w.-]+\.(cpp|hpp|cu|cuh|cmake|md|yaml|json|csv)\b)");
  std::set<std::string> absent;
  if (text.find('/') == std::string_view::npos) return absent;
  const std::string line(text);
  for (auto match = std::sregex_iterator(line.begin(), line.end(), pattern); match != std::sregex_iterator(); ++match) {
    const auto begin = static_cast<std::size_t>(match->position());
    const auto end = begin + static_cast<std::size_t>(match->length());
    const bool within = begin > 0 && std::string_view("/{}*<>").find(line[begin - 1]) != std::string_view::npos;
    const bool goes_on = end < line.size() && std::string_view("*{/").find(line[end]) != std::string_view::npos;
    if (within || goes_on || folders.count((*match)[1]) == 0 || paths.count(match->str()) > 0) continue;
    if (!ends_with_project(line.substr(0, begin))) absent.insert(match->str());
  }
  return absent;
}

}  // namespace

std::vector<std::string> absent_paths(const std::vector<TreeFile>& files) {
  std::set<std::string> paths, folders;
  for (const TreeFile& file : files) {
    paths.insert(file.path);
    if (const auto slash = file.path.find('/'); slash != std::string::npos) folders.insert(file.path.substr(0, slash));
  }
  std::vector<std::string> found;
  for (const TreeFile& file : files)
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      for (const std::string& path : absent_in(prose(file, file.lines[i]), paths, folders))
        found.push_back(fmt::format("{}:{}: names {}, which is not there", file.path, i + 1, path));
  return found;
}

}  // namespace mlsim::test
