#include "topologies/machine/topology_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include "core/text/document.hpp"
#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/split.hpp"
#include "core/text/units_text.hpp"
#include "topologies/machine/machine_file.hpp"
#include "topologies/machine/sourced_figure.hpp"
#include "topologies_files.hpp"

namespace mlsim::topologies {
namespace {

const std::vector<std::string> kGridOptions{"accelerator", "wrap", "slice", "slices", "link_bandwidth", "link_latency"};
const std::vector<std::string> kNodeOptions{
    "accelerator",      "power",          "memory",       "memory_bandwidth",  "nodes",
    "per_node",         "link_bandwidth", "link_latency", "network_bandwidth", "network_latency",
    "oversubscription", "nodes_per_leaf"};
// Options stand in this order in the canonical name.
const std::vector<std::string> kOrder{"accelerator",
                                      "power",
                                      "memory",
                                      "memory_bandwidth",
                                      "wrap",
                                      "slice",
                                      "slices",
                                      "nodes",
                                      "per_node",
                                      "link_bandwidth",
                                      "link_latency",
                                      "network_bandwidth",
                                      "network_latency",
                                      "oversubscription",
                                      "nodes_per_leaf"};

constexpr double kMostWatts = 1e5;  // of one board

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string without_blanks(std::string_view text) {
  std::string result;
  std::copy_if(text.begin(), text.end(), std::back_inserter(result),
               [](unsigned char c) { return std::isspace(c) == 0; });
  return result;
}

bool ends_with(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

Grid parse_size(std::string_view text) {
  const std::vector<std::string> sides = split(std::string(text), 'x');
  if (sides.size() < kLeastDimensions || sides.size() > kMostDimensions)
    throw InputError(fmt::format("\"{}\" is no size; write XxY or XxYxZ, as in 4x8 or 4x4x8", text));
  Grid grid;
  for (const std::string& side : sides) grid.push_back({parse_count(side)});
  return checked_grid(grid);
}

double parse_watts(const std::string& text) {
  if (text.empty() || (text.back() != 'W' && text.back() != 'w'))
    throw InputError(fmt::format("power \"{}\" is not in watts; write power=500W", text));
  return bounded_number(text.substr(0, text.size() - 1), 1, kMostWatts);
}

void set_option(TopologyOptions& options, const std::string& key, const std::string& value) {
  if (key == "accelerator") options.accelerator = value;
  if (key == "power") options.power = parse_watts(value);
  if (key == "memory") options.memory = bounded_quantity<Bytes>(value);
  if (key == "memory_bandwidth") options.memory_bandwidth = bounded_quantity<BytesPerSecond>(value);
  if (key == "link_bandwidth") options.link_bandwidth = bounded_quantity<BytesPerSecond>(value);
  if (key == "link_latency") options.link_latency = bounded_quantity<Seconds>(value);
  if (key == "slice") options.slice = parse_size(value);
  if (key == "slices") options.slices = parse_count(value, 1, kMostSlices);
  if (key == "nodes") options.nodes = parse_count(value, 1, kMostNodeAccelerators);
  if (key == "per_node") options.per_node = parse_count(value, 1, kMostNodeAccelerators);
  if (key == "network_bandwidth") options.network_bandwidth = bounded_quantity<BytesPerSecond>(value);
  if (key == "network_latency") options.network_latency = bounded_quantity<Seconds>(value);
  if (key == "nodes_per_leaf") options.nodes_per_leaf = parse_count(value, 1, kMostNodeAccelerators);
  if (key == "wrap") options.wrap = value;
  if (key == "oversubscription") options.oversubscription = bounded_number(value, 1, kMostOversubscription);
}

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

// Picks the box of whole cubes; empty where there are no cubes, or none fits.
std::optional<Grid> box_of_cubes(int count, Grid most, int cube) {
  if (cube == 0) return std::nullopt;
  int places = 1;
  for (GridDimension& side : most) {
    side.size /= cube;
    places *= cube;
  }
  std::optional<Grid> box = count % places == 0 ? best_box(count / places, most) : std::nullopt;
  if (box)
    for (GridDimension& side : *box) side.size *= cube;
  return box;
}

// "64xv6e" is tpu-trillium-pod:slice=8x8, "512xv6e" two whole pods, "6144xv4" two slices of 12x16x16.
std::string counted_slice(const std::string& head, const std::string& pod, const MachineSpec& machine, int count) {
  const Grid& whole = machine.grid->grid;
  if (const std::string slices = slices_for(count, whole, machine.grid->cube, machine.accelerator); !slices.empty())
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

// "16xH100" is dgx-h100:nodes=2, "4xv5e-256" is tpu-v5e-pod:slices=4. The result is empty where it is no number of accelerators that have a box.
std::string counted_boxes(const std::string& head) {
  const auto cross = head.find_first_of("xX");
  if (cross == std::string::npos) return {};
  int count = 0;
  const auto [end, error] = std::from_chars(head.data(), head.data() + cross, count);
  if (error != std::errc() || end != head.data() + cross || count < 1) return {};
  const std::string what = head.substr(cross + 1);
  if (const PublishedName* const slice = find_slice(what)) return fmt::format("{}:slices={}", slice->topology, count);
  const PublishedName* const box = find_box(what);
  if (box == nullptr) return {};
  const MachineSpec* const machine = builtin_machine(parse_topology_name(box->topology).head);
  if (machine->grid) return counted_slice(head, box->topology, *machine, count);
  const int each = machine->node->accelerators;
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
  if (const PublishedName* const slice = find_slice(head)) return slice->topology;
  if (std::string boxes = counted_boxes(head); !boxes.empty()) return boxes;
  for (const MachineSpec& machine : catalogue_machines())
    for (const std::string& name : names_of(machine))
      if (name_key(name) == key) return name;
  return {};
}

TopologyName with_options(const std::string& head, const TopologyName& name) {
  std::string text = head;
  for (const auto& [key, value] : name.options) text += ":" + key + "=" + value;
  return parse_topology_name(text);
}

}  // namespace

bool TopologyName::is_file() const {
  return head.find('/') != std::string::npos || ends_with(head, ".yaml") || ends_with(head, ".yml");
}

void TopologyOptions::put(const std::string& key, const std::string& value) {
  text.erase(std::remove_if(text.begin(), text.end(), [&](const auto& option) { return option.first == key; }),
             text.end());
  if (!value.empty()) text.emplace_back(key, value);
}

std::string TopologyOptions::canonical_name(const std::string& head) const {
  std::string name = head;
  for (const auto& key : kOrder) {
    for (const auto& [word, value] : text)
      if (word == key) name += fmt::format(":{}={}", word, value);
  }
  return name;
}

TopologyName parse_topology_name(std::string_view text) {
  TopologyName name;
  const auto colon = text.find(':');
  name.head = std::string(text.substr(0, colon));
  if (without_blanks(name.head).empty())
    throw InputError("the topology has no name; write one such as torus16x16 or dgx1-v100:nodes=4");
  if (!name.is_file()) name.head = without_blanks(name.head);
  std::string_view rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (colon != std::string_view::npos && without_blanks(rest).empty())
    throw InputError(fmt::format("topology \"{}\": an option key=value must follow the colon", text));
  while (!rest.empty()) {
    const auto end = rest.find_first_of(":,");
    const std::string option = without_blanks(rest.substr(0, end));
    const auto equals = option.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == option.size())
      throw InputError(fmt::format("topology \"{}\": option \"{}\" must read key=value", text, option));
    const std::string key = option.substr(0, equals);
    if (std::any_of(name.options.begin(), name.options.end(), [&](const auto& o) { return o.first == key; }))
      throw InputError(fmt::format("topology \"{}\": option \"{}\" stands twice", text, key));
    name.options.emplace_back(key, option.substr(equals + 1));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return name;
}

TopologyOptions parse_options(const TopologyName& name, TopologyKind kind) {
  const auto& known = kind == TopologyKind::grid ? kGridOptions : kNodeOptions;
  const auto& others = kind == TopologyKind::grid ? kNodeOptions : kGridOptions;
  TopologyOptions options;
  for (const auto& [key, value] : name.options) {
    if (!contains(known, key))
      throw InputError(fmt::format("topology \"{}\": {}", name.head,
                                   contains(others, key)
                                       ? fmt::format("option \"{}\" is for {}", key,
                                                     kind == TopologyKind::grid ? "machines with nodes, not for grids"
                                                                                : "grids, not for machines with nodes")
                                       : unknown_word("option", key, known)));
    try {
      set_option(options, key, value);
    } catch (const InputError& e) {
      throw InputError(fmt::format("topology \"{}\": option \"{}\": {}", name.head, key, e.reason()));
    }
  }
  options.text = name.options;
  return options;
}

const std::vector<std::string>& wraps_of(const Grid& grid) {
  static const std::vector<std::string> two{"xy", "x", "y", "none"},
      three{"xyz", "xy", "xz", "yz", "x", "y", "z", "none"};
  return grid.size() == kMostDimensions ? three : two;
}

std::string slices_for(int count, const Grid& most, int cube, const AcceleratorSpec& accelerator) {
  const int places = places_in(most), least = (count + places - 1) / places;
  if (!joins_slices(accelerator) || count <= places) return {};
  for (int slices = least; slices <= 2 * least; ++slices) {
    if (count % slices != 0) continue;
    const int each = count / slices;
    if (each == places) return fmt::format("slices={}", slices);
    if (const auto box = box_of_cubes(each, most, cube))
      return fmt::format("slice={}:slices={}", size_text(*box), slices);
  }
  return {};
}

Grid checked_grid(const Grid& grid) {
  double places = 1;
  for (const GridDimension& dimension : grid) {
    places *= dimension.size;
    if (dimension.size > kLongestSide)
      throw InputError(fmt::format("a side of {} is too long; at most {} are allowed", count_text(dimension.size),
                                   count_text(kLongestSide)));
  }
  if (places > kMostRanks)
    throw InputError(
        fmt::format("{} has too many places; at most {} are allowed", size_text(grid), count_text(kMostRanks)));
  return grid;
}

std::optional<Grid> parse_grid_word(std::string_view head) {
  const bool torus = head.substr(0, 5) == "torus";
  if (!torus && head.substr(0, 4) != "mesh") return std::nullopt;
  const std::string_view size = head.substr(torus ? 5 : 4);
  const auto crosses = static_cast<std::size_t>(std::count(size.begin(), size.end(), 'x'));
  if (crosses + 1 < kLeastDimensions || crosses + 1 > kMostDimensions)
    throw InputError(fmt::format("\"{}\" is no grid of two or three dimensions; write {}XxY or XxYxZ, as in {}16x16",
                                 head, torus ? "torus" : "mesh", torus ? "torus" : "mesh"));
  try {
    return wrapped(parse_size(size), torus ? kDimensionLetters : "");
  } catch (const InputError& e) {
    throw InputError(fmt::format("topology \"{}\": {}", head, e.reason()));
  }
}

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
