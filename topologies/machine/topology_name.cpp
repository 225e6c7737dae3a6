#include "topologies/machine/topology_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/split.hpp"
#include "core/text/units_text.hpp"
#include "topologies/machine/sourced_figure.hpp"

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

// Words of a name are joined: "NVIDIA A100 80GB", "64 H100"; a grid has one.
std::string joined_head(std::string_view text) {
  const std::string whole = without_blanks(text);
  if (begins_grid(whole)) return whole;
  std::string result;
  bool blank = false;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      blank = !result.empty();
      continue;
    }
    if (blank) result += '-';
    result += c;
    blank = false;
  }
  return result;
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
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
  if (!name.is_file()) name.head = joined_head(name.head);
  std::string_view rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (colon != std::string_view::npos && without_blanks(rest).empty())
    throw InputError(fmt::format("topology \"{}\": an option key=value must follow the colon", text));
  while (!rest.empty()) {
    const auto end = rest.find_first_of(":,");
    const std::string option = without_blanks(rest.substr(0, end));
    if (is_number(option) && !name.is_file() && !begins_grid(name.head)) {
      name.head = fmt::format("{}x{}", option, name.head);  // "h100:8"
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      continue;
    }
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

bool begins_grid(std::string head) {
  std::transform(head.begin(), head.end(), head.begin(), [](unsigned char c) { return std::tolower(c); });
  return head.starts_with("torus") || head.starts_with("mesh");
}

std::string slices_for(int count, const Grid& most, const MachineSpec& machine) {
  const int places = places_in(most), least = (count + places - 1) / places;
  if (!joins_slices(machine.accelerator) || count <= places) return {};
  for (int slices = least; slices <= 2 * least; ++slices) {
    if (count % slices != 0) continue;
    const int each = count / slices;
    if (each == places) return fmt::format("slices={}", slices);
    if (const auto box = box_of_cubes(each, most, machine.grid->cube))
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

}  // namespace mlsim::topologies
