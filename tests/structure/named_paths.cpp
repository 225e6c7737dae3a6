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

// What there is to name.
struct TreeNames {
  std::set<std::string> paths;
  std::set<std::string> sources;       // without their folders
  std::set<std::string> tops;          // folders at the top of the tree
  std::set<std::string> folder_words;  // "plan" of "sim/plan"
  std::set<std::string> folders;       // "sim/plan", and "plan"
};

void add_folders(TreeNames& names, const std::string& path) {
  for (auto end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
    std::string folder = path.substr(0, end);
    names.folder_words.insert(folder.substr(folder.rfind('/') + 1));
    for (auto begin = folder.find('/'); begin != std::string::npos; begin = folder.find('/')) {
      names.folders.insert(folder);
      folder.erase(0, begin + 1);
    }
    names.folders.insert(folder);
  }
}

TreeNames names_of(const std::vector<TreeFile>& files) {
  TreeNames names;
  for (const TreeFile& file : files) {
    names.paths.insert(file.path);
    if (const auto slash = file.path.find('/'); slash != std::string::npos)
      names.tops.insert(file.path.substr(0, slash));
    names.sources.insert(file.path.substr(file.path.rfind('/') + 1));
    add_folders(names, file.path);
  }
  return names;
}

std::set<std::string> absent_paths_in(const std::string& line, const TreeNames& names) {
  static const std::regex pattern(R"(([\w.-]+)(/[\w.-]+)*/[\w.-]+\.(cpp|hpp|cu|cuh|cmake|md|yaml|json|csv)\b)");
  std::set<std::string> absent;
  if (line.find('/') == std::string::npos) return absent;
  for (auto match = std::sregex_iterator(line.begin(), line.end(), pattern); match != std::sregex_iterator(); ++match) {
    const auto begin = static_cast<std::size_t>(match->position());
    const auto end = begin + static_cast<std::size_t>(match->length());
    const bool within = begin > 0 && std::string_view("/{}*<>").find(line[begin - 1]) != std::string_view::npos;
    const bool goes_on = end < line.size() && std::string_view("*{/").find(line[end]) != std::string_view::npos;
    if (within || goes_on || names.tops.count((*match)[1]) == 0 || names.paths.count(match->str()) > 0) continue;
    if (!ends_with_project(line.substr(0, begin))) absent.insert(match->str());
  }
  return absent;
}

// "units.hpp", which no folder precedes.
std::set<std::string> absent_sources_in(const std::string& line, const TreeNames& names) {
  static const std::regex pattern(R"((?:^|[^\w./*<>{}-])([a-z]\w*\.(?:cpp|hpp|cu|cuh|cmake))(?![\w/*{]))");
  std::set<std::string> absent;
  if (line.find(".c") == std::string::npos && line.find(".hpp") == std::string::npos) return absent;
  for (auto match = std::sregex_iterator(line.begin(), line.end(), pattern); match != std::sregex_iterator(); ++match)
    if (names.sources.count((*match)[1]) == 0 &&
        !ends_with_project(line.substr(0, static_cast<std::size_t>(match->position(1)))))
      absent.insert((*match)[1]);
  return absent;
}

// "sim/plan/" and "plan/". Two words of which the first is no folder here ("src/graph/") are of another project.
std::set<std::string> absent_folders_in(const std::string& line, const TreeNames& names) {
  static const std::regex pattern(R"((?:^|[^\w./*<>{}:-])([a-z][\w-]+)((?:/[\w-]+)*)/(?![\w*{<]))");
  std::set<std::string> absent;
  if (line.find('/', 2) == std::string::npos) return absent;
  for (auto match = std::sregex_iterator(line.begin(), line.end(), pattern); match != std::sregex_iterator(); ++match) {
    const std::string first = (*match)[1], rest = (*match)[2];
    if (names.folders.count(first + rest) == 0 && (rest.empty() || names.folder_words.count(first) > 0))
      absent.insert(first + rest + "/");
  }
  return absent;
}

}  // namespace

std::vector<std::string> absent_paths(const std::vector<TreeFile>& files) {
  const TreeNames names = names_of(files);
  std::vector<std::string> found;
  for (const TreeFile& file : files)
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string line(prose(file, file.lines[i]));
      std::set<std::string> absent = absent_paths_in(line, names);
      if (!file.ends_with(".md")) {
        absent.merge(absent_sources_in(line, names));
        absent.merge(absent_folders_in(line, names));
      }
      for (const std::string& name : absent)
        found.push_back(fmt::format("{}:{}: names {}, which is not there", file.path, i + 1, name));
    }
  return found;
}

}  // namespace mlsim::test
