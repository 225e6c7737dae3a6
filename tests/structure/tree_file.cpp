#include "tree_file.hpp"

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>

namespace mlsim::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

bool is_text(const fs::path& path) {
  static const std::set<std::string> extensions{".cpp",  ".hpp",  ".h",   ".cu", ".cuh", ".cmake", ".txt", ".md",
                                                ".yaml", ".json", ".csv", ".sh", ".py",  ".html",  ".js",  ""};
  return extensions.count(path.extension().string()) > 0;
}

bool is_skipped_folder(const std::string& name) {
  return name != ".ci" && (name.starts_with(".") || name == "build" || name.starts_with("build-"));
}

}  // namespace

std::vector<TreeFile> tree_files(const fs::path& root) {
  std::vector<TreeFile> files;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->is_directory() && is_skipped_folder(entry->path().filename().string())) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file() && is_text(entry->path()) && entry->path().filename() != ".git") {
      files.push_back({entry->path().lexically_relative(root).generic_string(), lines_of(entry->path())});
    }
  }
  std::sort(files.begin(), files.end(), [](const TreeFile& a, const TreeFile& b) { return a.path < b.path; });
  return files;
}

std::string included(const std::string& line) {
  static const std::regex pattern(R"re(\s*#\s*include\s*["<]([^">]+)[">].*)re");
  if (line.find('#') == std::string::npos) return {};  // a regular expression takes longer
  std::smatch match;
  return std::regex_match(line, match, pattern) ? match[1].str() : "";
}

}  // namespace mlsim::test
