#include "topologies/machine/likeness.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/text/spelling.hpp"
#include "topologies_files.hpp"

namespace mlsim::topologies {

Document with_likeness(const Document& document, std::string_view folder) {
  constexpr std::string_view ending = ".yaml";
  if (!document.has("like")) return document;
  const Document like = document.at("like");
  const std::string name = like.text();
  std::vector<std::string> names;
  for (const EmbeddedFile& file : topologies_files()) {
    if (!file.path.starts_with(folder) || file.path[folder.size()] != '/') continue;
    names.emplace_back(file.path.substr(folder.size() + 1, file.path.size() - folder.size() - 1 - ending.size()));
    if (names.back() != name) continue;
    const Document base = Document::embedded(file, std::string(file.path));
    if (base.has("like")) throw like.error(fmt::format("{} is like {} itself", name, base.at("like").text()));
    return document.over(base);
  }
  throw like.error(unknown_word("name", name, names));
}

}  // namespace mlsim::topologies
