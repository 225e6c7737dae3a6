#include "type_names.hpp"

#include <fmt/format.h>

#include <map>
#include <regex>
#include <string_view>

namespace mlsim::test {
namespace {

// "Bytes" of "struct Bytes {" and of "using Bytes = ..."; empty of any other line.
std::string declared_type(const std::string& line) {
  static const std::regex pattern(
      R"((?:template <.*> )?(?:(?:struct|class|union|enum class|enum) (\w+)(?: final)?(?: : [^;]*| ?\{.*)|using (\w+) =.*))");
  if (line.empty() || std::string_view("cestu").find(line.front()) == std::string_view::npos) return {};
  std::smatch match;
  if (!std::regex_match(line, match, pattern)) return {};
  return match[1].matched ? match[1].str() : match[2].str();
}

}  // namespace

std::vector<std::string> repeated_types(const std::vector<TreeFile>& files) {
  std::map<std::string, std::string> first;  // type -> the header that declares it first
  std::vector<std::string> found;
  for (const TreeFile& file : files) {
    if (!file.is_header()) continue;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string type = declared_type(file.lines[i]);
      if (type.empty()) continue;
      const auto [at, is_new] = first.emplace(type, file.path);
      if (!is_new && at->second != file.path)
        found.push_back(fmt::format("{}:{}: {} is declared in {} too", file.path, i + 1, type, at->second));
    }
  }
  return found;
}

}  // namespace mlsim::test
