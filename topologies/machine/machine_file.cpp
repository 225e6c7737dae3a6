#include "topologies/machine/machine_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "core/files/folder.hpp"
#include "core/text/spelling.hpp"
#include "topologies/machine/accelerator_file.hpp"
#include "topologies/machine/bill.hpp"
#include "topologies/machine/likeness.hpp"
#include "topologies/machine/published_names.hpp"
#include "topologies/machine/sourced_figure.hpp"
#include "topologies/machine/topology_name.hpp"
#include "topologies_files.hpp"

namespace mlsim::topologies {
namespace {

constexpr int kLargestNode = 1024;  // accelerators; the largest NVLink domains sold have 72 (GB200) to 576

LinkSpec read_link(const Document& link) {
  return {read_figure<BytesPerSecond>(link.at("bandwidth")), read_figure<Seconds>(link.at("latency"))};
}

GridSpec read_grid(const Document& document) {
  document.allow_only({"size", "wrap", "link", "cube", "pod"});
  GridSpec spec;
  const auto lengths = document.at("size").items();
  if (lengths.size() < kLeastDimensions || lengths.size() > kMostDimensions)
    throw document.at("size").error("must be a list of two or three lengths: [16, 16] or [16, 16, 16]");
  for (const Document& length : lengths) spec.grid.push_back({length.count()});
  try {
    checked_grid(spec.grid);
  } catch (const InputError& e) {
    throw e.place().empty() ? document.at("size").error(e.reason()) : e;
  }
  spec.grid = wrapped(spec.grid, document.at("wrap").word("wrap", wraps_of(spec.grid)));
  if (document.has("cube")) spec.cube = document.at("cube").count(1, kLongestSide);
  if (document.has("link")) {
    document.at("link").allow_only({"bandwidth", "latency"});
    spec.link = read_link(document.at("link"));
  }
  if (document.has("pod")) {
    const Document pod = document.at("pod");
    pod.allow_only({"length", "latency"});
    spec.pod = pod.at("length").count(1, kLongestSide);
    spec.pod_latency = read_figure<Seconds>(pod.at("latency"));
  }
  return spec;
}

NodeSpec::NvlinkPair read_nvlink_pair(const Document& item, int accelerators) {
  const auto figures = item.items();
  if (figures.size() != 3) throw item.error("must be [accelerator, accelerator, links], as in [0, 3, 2]");
  const NodeSpec::NvlinkPair pair{figures[0].count(0), figures[1].count(0), figures[2].count(1, kMostLinks)};
  if (std::max(pair.a, pair.b) >= accelerators)
    throw item.error(
        fmt::format("names accelerator {}; the node has 0 to {}", std::max(pair.a, pair.b), accelerators - 1));
  if (pair.a == pair.b) throw item.error(fmt::format("links accelerator {} with itself", pair.a));
  return pair;
}

void read_nvlink(const Document& document, NodeSpec& spec) {
  const bool mesh = spec.interconnect == Interconnect::nvlink_mesh;
  document.allow_only({mesh ? "pairs" : "per_accelerator", "bandwidth", "latency"});
  spec.nvlink = read_link(document);
  if (!mesh) {
    spec.nvlinks = document.at("per_accelerator").count(1, kMostLinks);
    return;
  }
  std::set<std::pair<int, int>> seen;
  for (const auto& item : document.at("pairs").items()) {
    const auto pair = read_nvlink_pair(item, spec.accelerators);
    if (!seen.insert(std::minmax(pair.a, pair.b)).second)
      throw item.error(fmt::format("the pair {}-{} stands twice; give its links as one number", pair.a, pair.b));
    spec.nvlink_pairs.push_back(pair);
  }
}

void read_nic(const Document& document, NodeSpec& spec) {
  document.allow_only({"count", "at", "bandwidth", "latency"});
  spec.nics = document.at("count").count(1, kMostLinks);
  spec.nics_at_host = document.at("at").word("place of the NICs", {"host", "pcie-switch"}) == "host";
  if (!spec.nics_at_host && spec.per_pcie_switch == 0)
    throw document.at("at").error("is pcie-switch, but \"pcie\" has no accelerators_per_switch");
  spec.nic = read_link(document);
}

NodeSpec read_node(const Document& document) {
  document.allow_only({"accelerators", "interconnect", "nvlink", "pcie", "nic", "network", "host", "nodes_per_leaf",
                       "oversubscription"});
  NodeSpec spec;
  spec.accelerators = document.at("accelerators").count();
  if (spec.accelerators > kLargestNode)
    throw document.at("accelerators").error(fmt::format("must be at most {} in one node", kLargestNode));
  const std::string word = document.at("interconnect").word("interconnect", {"nvlink-mesh", "nvswitch", "pcie"});
  spec.interconnect = word == "nvlink-mesh" ? Interconnect::nvlink_mesh
                      : word == "nvswitch"  ? Interconnect::nvswitch
                                            : Interconnect::pcie;
  if (spec.interconnect != Interconnect::pcie)
    read_nvlink(document.at("nvlink"), spec);
  else if (document.has("nvlink"))
    throw document.at("nvlink").error("has no meaning with interconnect pcie");
  const Document pcie = document.at("pcie");
  pcie.allow_only({"accelerators_per_switch", "bandwidth", "latency", "through_host"});
  if (pcie.has("accelerators_per_switch"))
    spec.per_pcie_switch = std::min(pcie.at("accelerators_per_switch").count(1, kLargestNode), spec.accelerators);
  spec.pcie = read_link(pcie);
  if (pcie.has("through_host")) spec.through_host = read_figure<BytesPerSecond>(pcie.at("through_host"));
  if (document.has("nic")) read_nic(document.at("nic"), spec);
  if (document.has("network")) {
    if (spec.nics == 0) throw document.at("network").error("has no meaning without \"nic\"");
    spec.network = read_network(document.at("network"));
  }
  if (document.has("host")) spec.host = read_host(document.at("host"), false);
  if (document.has("nodes_per_leaf"))
    spec.nodes_per_leaf = document.at("nodes_per_leaf").count(1, kMostNodeAccelerators);
  if (document.has("oversubscription")) {
    spec.oversubscription = read_number(document.at("oversubscription"), 1, kMostOversubscription);
    if (spec.nodes_per_leaf == 0) throw document.error("\"oversubscription\" needs \"nodes_per_leaf\"");
  }
  return spec;
}

bool is_machine(const EmbeddedFile& file) { return file.path.substr(0, 9) == "machines/"; }

bool is_called(const MachineSpec& machine, const std::string& word) {
  const auto& aliases = machine.aliases;
  return machine.name == word || machine.grid_name == word ||
         std::find(aliases.begin(), aliases.end(), word) != aliases.end();
}

const MachineSpec& read_once(const EmbeddedFile& file) {
  static std::map<std::string_view, MachineSpec> read;
  if (const auto found = read.find(file.path); found != read.end()) return found->second;
  return read.emplace(file.path, read_machine(Document::embedded(file, std::string(file.path)))).first->second;
}

std::vector<std::string>& own_folders() {
  static std::vector<std::string> folders;
  return folders;
}

// Says what stands in the way of the name; empty where it is free.
std::string fault_of(const std::string& name) {
  if (name.empty() || name.find_first_of(":=,/ ") != std::string::npos)
    return "a name must have no blank and none of : = , /";
  const auto& published = published_names();
  const bool taken =
      builtin_machine(name) != nullptr ||
      std::any_of(published.begin(), published.end(), [&](const auto& p) { return p.key == name_key(name); });
  if (taken) return "that is a system of mlsim's own; give yours another name";
  if (name.starts_with("torus") || name.starts_with("mesh")) return "torus and mesh begin the names of bare grids";
  return "";
}

MachineSpec read_own(const std::string& path) {
  const Document document = Document::load(path);
  MachineSpec machine = read_machine(document);
  for (const auto& name : names_of(machine))
    if (const std::string fault = fault_of(name); !fault.empty())
      throw document.at("name").error(fmt::format("\"{}\": {}", name, fault));
  return machine;
}

bool share_a_name(const MachineSpec& a, const MachineSpec& b) {
  const auto names = names_of(a), others = names_of(b);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(others.begin(), others.end(), name) != others.end();
  });
}

// Throws InputError where a folder or file cannot be read, and with the file where a name is not free or no word of
// the grammar of topologies.
const std::vector<MachineSpec>& own_machines() {
  static const std::vector<MachineSpec> all = [] {
    std::vector<MachineSpec> machines;
    for (const auto& folder : own_folders()) {
      const std::size_t earlier = machines.size();
      for (const auto& path : yaml_files(folder)) {
        MachineSpec machine = read_own(path);
        const auto same = std::find_if(machines.begin(), machines.end(),
                                       [&](const MachineSpec& other) { return share_a_name(machine, other); });
        if (same == machines.end())
          machines.push_back(std::move(machine));
        else if (same >= machines.begin() + static_cast<std::ptrdiff_t>(earlier))
          throw InputError(path, fmt::format("another file of the folder describes {} too", same->name));
      }
    }
    return machines;
  }();
  return all;
}

}  // namespace

MachineSpec read_machine(const Document& document) {
  document.allow_only(
      {"name", "title", "grid_name", "aliases", "like", "accelerator", "grid", "node", "price", "notes"});
  // Names, price and notes are its own.
  const Document whole = with_likeness(document, "machines");
  MachineSpec spec;
  spec.name = document.at("name").text();
  spec.title = document.has("title") ? document.at("title").text() : spec.name;
  if (document.has("grid_name")) spec.grid_name = document.at("grid_name").text();
  if (document.has("aliases"))
    for (const auto& alias : document.at("aliases").items()) spec.aliases.push_back(alias.text());
  const Document accelerator = whole.at("accelerator");
  AcceleratorFile chip;
  if (accelerator.is_map()) {
    chip = read_accelerator(accelerator);
  } else {
    try {
      chip = catalogue_accelerator(accelerator.text());
    } catch (const InputError& e) {
      throw e.place().empty() ? accelerator.error(e.reason()) : e;
    }
  }
  spec.accelerator = chip.spec;
  if (whole.has("grid") == whole.has("node")) throw document.error("give either \"grid\" or \"node\"");
  if (whole.has("grid")) {
    spec.grid = read_grid(whole.at("grid"));
    spec.bill = chip.bill;
  } else {
    spec.node = read_node(whole.at("node"));
  }
  if (document.has("price")) spec.bill = read_bill(document.at("price"));
  if (document.has("notes"))
    for (const auto& note : document.at("notes").items()) spec.notes.push_back(note.text());
  return spec;
}

std::vector<std::string> names_of(const MachineSpec& machine) {
  std::vector<std::string> names = machine.aliases;
  names.push_back(machine.name);
  if (!machine.grid_name.empty()) names.push_back(machine.grid_name);
  return names;
}

const std::vector<MachineSpec>& catalogue_machines() {
  static const std::vector<MachineSpec> all = [] {
    std::vector<MachineSpec> machines;
    for (const auto& file : topologies_files())
      if (is_machine(file)) machines.push_back(read_once(file));
    machines.insert(machines.end(), own_machines().begin(), own_machines().end());
    return machines;
  }();
  return all;
}

const MachineSpec* builtin_machine(const std::string& word) {
  static std::map<std::string, const MachineSpec*> known;  // one answer asks for those of hundreds of published runs
  const auto [entry, fresh] = known.try_emplace(word, nullptr);
  if (!fresh) return entry->second;
  for (const auto& file : topologies_files()) {
    // Parsing is slow, and a file that does not hold the word is not called so.
    if (!is_machine(file) || file.text.find(word) == std::string_view::npos) continue;
    if (const MachineSpec& machine = read_once(file); is_called(machine, word)) return entry->second = &machine;
  }
  return nullptr;
}

const MachineSpec* catalogue_machine(const std::string& word) {
  if (const MachineSpec* machine = builtin_machine(word)) return machine;
  for (const auto& machine : own_machines())
    if (is_called(machine, word)) return &machine;
  return nullptr;
}

void use_own_machines(const std::vector<std::string>& folders) { own_folders() = folders; }

}  // namespace mlsim::topologies
