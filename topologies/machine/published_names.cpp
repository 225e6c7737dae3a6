#include "topologies/machine/published_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "core/text/document.hpp"
#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/units_text.hpp"
#include "topologies/machine/accelerator_file.hpp"
#include "topologies/machine/machine_file.hpp"
#include "topologies_files.hpp"

namespace mlsim::topologies {
namespace {

std::vector<PublishedName> names_under(const char* key) {
  const Document document = Document::embedded(file_at(topologies_files(), "names.yaml"), "names.yaml");
  std::vector<PublishedName> names;
  for (const auto& [name, topology] : document.at(key).entries())
    names.push_back({name, topology.text(), name_key(name)});
  return names;
}

const PublishedName* find_by_key(const std::vector<PublishedName>& all, const std::string& key) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& n) { return n.key == key; });
  return found == all.end() ? nullptr : &*found;
}

// Returns the machine of an accelerator's name, of a TPU's also without "tpu"; null where the word is none.
const PublishedName* find_box(const std::string& word) {
  const PublishedName* const box = find_by_key(accelerator_names_of_boxes(), name_key(word));
  return box != nullptr ? box : find_by_key(accelerator_names_of_boxes(), "tpu" + name_key(word));
}

// "64xv6e" is tpu-trillium-pod:slice=8x8, "512xv6e" two whole pods, "6144xv4" two slices of 12x16x16.
std::string counted_slice(const std::string& head, const std::string& pod, const MachineSpec& machine, int count) {
  const Grid& whole = machine.grid->grid;
  if (const std::string slices = slices_for(count, whole, machine); !slices.empty())
    return fmt::format("{}:{}", pod, slices);
  if (const auto box = best_box(count, whole)) return fmt::format("{}:slice={}", pod, size_text(*box));
  const int below = nearest_count(std::min(count, places_in(whole) + 1), -1, whole),
            above = nearest_count(count, 1, whole);
  throw InputError(fmt::format("topology \"{}\": {} chips form no box inside {} ({}); {}{}", head, count_text(count),
                               pod, size_text(whole), below, above > 0 ? fmt::format(" and {} do", above) : " do"));
}

// Returns the published name of a slice of TPUs, with or without "tpu"; null where the word is none.
const PublishedName* find_slice(const std::string& word) {
  const std::string key = name_key(word);
  const PublishedName* const named = find_by_key(published_names(), key.starts_with("tpu") ? key : "tpu" + key);
  return named != nullptr && named->key.starts_with("tpu") ? named : nullptr;
}

bool catalogue_grid(const std::string& topology) {
  const MachineSpec* const machine = catalogue_machine(parse_topology_name(topology).head);
  return machine == nullptr || machine->grid.has_value();
}

// Gives the topology of a published name, or of a machine whose name differs in case, dashes and underscores only, with
// or without Azure's "Standard_"; empty where there is none.
std::string machine_named(const std::string& word) {
  constexpr std::string_view prefix = "standard";
  std::string key = name_key(word);
  if (key.starts_with(prefix)) key.erase(0, prefix.size());
  if (const PublishedName* const published = find_by_key(published_names(), key)) return published->topology;
  for (const MachineSpec& machine : catalogue_machines())
    for (const std::string& name : names_of(machine))
      if (name_key(name) == key) return name;
  return {};
}

// Gives the key of the first box whose accelerator the word spells in full: "v100sxm216gb" for "Tesla V100 16GB".
std::string spelled_box(const std::string& word) {
  const std::vector<std::string> spelled = accelerators_spelled(word);
  if (spelled.empty()) return {};
  for (const PublishedName& box : accelerator_names_of_boxes()) {
    const TopologyName meant = parse_topology_name(box.topology);
    const MachineSpec* const machine = builtin_machine(meant.head);
    if (machine == nullptr) continue;
    std::string accelerator = machine->accelerator.name;
    for (const auto& [key, value] : meant.options)
      if (key == "accelerator") accelerator = value;
    if (std::find(spelled.begin(), spelled.end(), accelerator) != spelled.end()) return box.key;
  }
  return {};
}

struct Count {
  int number = 0;
  std::string what;
};

int number_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

// Reads "64xH100", "64 H100" and "H100x64"; the number is 0 where there is none.
Count count_in(const std::string& head) {
  constexpr std::string_view crosses = "xX*";
  if (const auto digits = head.find_first_not_of("0123456789"); digits > 0 && digits != std::string::npos) {
    auto begin = head.find_first_not_of('-', digits);
    if (begin != std::string::npos && crosses.find(head[begin]) != std::string_view::npos)
      begin = head.find_first_not_of('-', begin + 1);
    if (begin == std::string::npos) return {};
    return {number_in(std::string_view(head).substr(0, digits)), head.substr(begin)};
  }
  const auto last = head.find_last_not_of("0123456789");
  if (last == std::string::npos || last + 1 == head.size()) return {};
  const auto cross = head.find_last_not_of('-', last);
  if (cross == std::string::npos || cross == 0 || crosses.find(head[cross]) == std::string_view::npos) return {};
  const auto end = head.find_last_not_of('-', cross - 1);
  return {number_in(std::string_view(head).substr(last + 1)), head.substr(0, end + 1)};
}

// Returns the topology on servers of another size that the count fills; empty where there are none.
std::string on_other_servers(const std::string& topology, int count) {
  static const std::vector<PublishedName> others = names_under("servers_of_another_size");
  const std::string head = parse_topology_name(topology).head;
  const auto other = std::find_if(others.begin(), others.end(), [&](const auto& each) { return each.name == head; });
  if (other == others.end()) return {};
  const int each = builtin_machine(other->topology)->node->accelerators;
  if (count % each != 0) return {};
  return fmt::format("{}{}:nodes={}", other->topology, topology.substr(head.size()), count / each);
}

// A rack of trays is one node here. Returns the topology with the fewest racks that hold the count in trays, all as many
// and half of each at least: 512 of racks of 72 are 64 of each of eight. Empty where there is none.
std::string on_racks(const std::string& topology, int rack, int count) {
  constexpr int kTray = 4, kRack = 17;  // accelerators; larger nodes than a server of 16 are racks
  if (rack < kRack) return {};
  for (int racks = count / rack + 1; 2 * count >= racks * rack; ++racks)
    if (count % (kTray * racks) == 0) return fmt::format("{}:nodes={}:per_node={}", topology, racks, count / racks);
  return {};
}

std::string counted_accelerators(const std::string& head, const PublishedName& box, int count) {
  const MachineSpec* const machine = builtin_machine(parse_topology_name(box.topology).head);
  if (machine->grid) return counted_slice(head, box.topology, *machine, count);
  const int each = machine->node->accelerators;
  if (count < each) return fmt::format("{}:per_node={}", box.topology, count);
  if (count % each == 0) return fmt::format("{}:nodes={}", box.topology, count / each);
  if (std::string others = on_other_servers(box.topology, count); !others.empty()) return others;
  if (std::string racks = on_racks(box.topology, each, count); !racks.empty()) return racks;
  const int below = count / each * each;
  throw InputError(fmt::format("topology \"{}\": {} accelerators do not fill nodes of {} of {}; {} and {} do", head,
                               count, each, box.topology, below, below + each));
}

// "16xH100" is dgx-h100:nodes=2, "4xv5e-256" is tpu-v5e-pod:slices=4, "4xdgx-h100" four nodes. The result is empty where
// it is no number of accelerators that have a box, of slices or of machines.
std::string counted(const std::string& head) {
  const auto [count, what] = count_in(head);
  if (count < 1) return {};
  if (const PublishedName* const slice = find_slice(what)) return fmt::format("{}:slices={}", slice->topology, count);
  if (const PublishedName* const box = find_box(what)) return counted_accelerators(head, *box, count);
  std::string machine = machine_named(what);
  if (machine.empty()) {
    const PublishedName* const box = find_by_key(accelerator_names_of_boxes(), spelled_box(what));
    return box == nullptr ? "" : counted_accelerators(head, *box, count);
  }
  const bool counts = machine.find(":nodes=") != std::string::npos || catalogue_grid(machine);
  return counts ? "" : fmt::format("{}:nodes={}", machine, count);
}

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Says what the head means in the grammar of topology names; empty where it means itself, or nothing that is known.
std::string meaning(const std::string& head) {
  const std::string key = name_key(head);
  if (const PublishedName* const published = find_by_key(published_names(), key)) return published->topology;
  if (begins_grid(head)) {
    const std::string grid = in_lower_case(head);
    return grid == head ? "" : grid;
  }
  if (catalogue_machine(head) != nullptr || find_box(head) != nullptr) return {};
  // Google's own names of slices are like v3-32.
  if (const PublishedName* const slice = find_slice(head)) return slice->topology;
  if (std::string machine = machine_named(head); !machine.empty()) return machine;
  if (std::string machines = counted(head); !machines.empty()) return machines;
  return spelled_box(head);
}

TopologyName with_options(const std::string& head, const TopologyName& name) {
  std::string text = head;
  for (const auto& [key, value] : name.options) text += ":" + key + "=" + value;
  return parse_topology_name(text);
}

}  // namespace

std::optional<TopologyName> machine_of_accelerator(const TopologyName& name) {
  const PublishedName* const box = name.is_file() ? nullptr : find_box(name.head);
  if (box == nullptr) return std::nullopt;
  return with_options(box->topology, name);
}

const std::vector<PublishedName>& accelerator_names_of_boxes() {
  static const std::vector<PublishedName> all = names_under("boxes");
  return all;
}

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
  return with_options(known->second, name);
}

}  // namespace mlsim::topologies
