#include "topologies/published_names.hpp"

#include <algorithm>
#include <cassert>
#include <cctype>

#include "core/document.hpp"
#include "topologies_files.hpp"

namespace mlsim::topologies {
namespace {

std::string normalised(const std::string& head) {
  std::string text;
  for (const char c : head) text += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

const std::vector<PublishedName>& published_names() {
  static const std::vector<PublishedName> all = [] {
    const auto& files = topologies_files();
    const auto file = std::find_if(files.begin(), files.end(), [](const auto& f) { return f.path == "names.yaml"; });
    assert(file != files.end());
    std::vector<PublishedName> names;
    for (const auto& [name, topology] : Document::embedded(*file, "names.yaml").at("names").entries())
      names.push_back({name, topology.text()});
    return names;
  }();
  return all;
}

TopologyName resolved_name(const TopologyName& name) {
  if (name.is_file()) return name;
  const auto& all = published_names();
  const auto found =
      std::find_if(all.begin(), all.end(), [key = normalised(name.head)](const auto& n) { return n.name == key; });
  if (found == all.end()) return name;
  std::string text = found->topology;
  for (const auto& [key, value] : name.options) text += ":" + key + "=" + value;
  return parse_topology_name(text);
}

}  // namespace mlsim::topologies
