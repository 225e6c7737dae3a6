#include "topologies/machine/published_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cctype>
#include <charconv>
#include <map>

#include "core/text/document.hpp"
#include "core/text/errors.hpp"
#include "core/text/name_key.hpp"
#include "topologies/machine/machine_file.hpp"
#include "topologies_files.hpp"

namespace mlsim::topologies {
namespace {

std::vector<PublishedName> names_under(const char* key) {
  const auto& files = topologies_files();
  const auto file = std::find_if(files.begin(), files.end(), [](const auto& f) { return f.path == "names.yaml"; });
  assert(file != files.end());
  std::vector<PublishedName> names;
  for (const auto& [name, topology] : Document::embedded(*file, "names.yaml").at(key).entries())
    names.push_back({name, topology.text(), name_key(name)});
  return names;
}

const PublishedName* find_by_key(const std::vector<PublishedName>& all, const std::string& key) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& n) { return n.key == key; });
  return found == all.end() ? nullptr : &*found;
}

// "16xH100" is dgx-h100:nodes=2. The result is empty where it is no number of accelerators that have a box.
std::string counted_boxes(const std::string& head) {
  const auto cross = head.find_first_of("xX");
  if (cross == std::string::npos) return {};
  int count = 0;
  const auto [end, error] = std::from_chars(head.data(), head.data() + cross, count);
  if (error != std::errc() || end != head.data() + cross || count < 1) return {};
  static const std::vector<PublishedName> boxes = names_under("boxes");
  const PublishedName* const box = find_by_key(boxes, name_key(head.substr(cross + 1)));
  if (box == nullptr) return {};
  const int each = builtin_machine(box->topology)->node->accelerators;
  if (count < each) return fmt::format("{}:per_node={}", box->topology, count);
  if (count % each == 0) return fmt::format("{}:nodes={}", box->topology, count / each);
  const int below = count / each * each;
  throw InputError(fmt::format("topology \"{}\": {} accelerators do not fill nodes of {} of {}; {} and {} do", head,
                               count, each, box->topology, below, below + each));
}

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Says what the head means in the grammar of topology names; empty where it means itself, or nothing that is known.
std::string meaning(const std::string& head) {
  const std::string key = name_key(head);
  if (const PublishedName* const published = find_by_key(published_names(), key)) return published->topology;
  if (const std::string grid = in_lower_case(head); grid.starts_with("torus") || grid.starts_with("mesh"))
    return grid == head ? "" : grid;
  if (catalogue_machine(head) != nullptr) return {};
  // Google's own names of slices are like v3-32.
  if (const PublishedName* const slice = find_by_key(published_names(), "tpu" + key)) return slice->topology;
  if (std::string boxes = counted_boxes(head); !boxes.empty()) return boxes;
  for (const MachineSpec& machine : catalogue_machines())
    for (const std::string& name : names_of(machine))
      if (name_key(name) == key) return name;
  return {};
}

}  // namespace

const std::vector<PublishedName>& published_names() {
  static const std::vector<PublishedName> all = names_under("names");
  return all;
}

TopologyName resolved_name(const TopologyName& name) {
  if (name.is_file()) return name;
  static std::map<std::string, std::string> meanings;  // one answer asks for the names of hundreds of published runs
  auto known = meanings.find(name.head);
  if (known == meanings.end()) known = meanings.emplace(name.head, meaning(name.head)).first;
  if (known->second.empty()) return name;
  std::string text = known->second;
  for (const auto& [key, value] : name.options) text += ":" + key + "=" + value;
  return parse_topology_name(text);
}

}  // namespace mlsim::topologies
