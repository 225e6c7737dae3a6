#include "topologies/construction/selection.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/document.hpp"
#include "topologies/machine/accelerator_file.hpp"
#include "topologies/machine/machine_file.hpp"
#include "topologies/machine/published_names.hpp"

namespace mlsim::topologies {
namespace {

std::vector<std::string> known_words() {
  std::vector<std::string> words;
  for (const auto& machine : catalogue_machines()) {
    if (!machine.grid_name.empty()) words.push_back(machine.grid_name);
    words.push_back(machine.name);
    words.insert(words.end(), machine.aliases.begin(), machine.aliases.end());
  }
  return words;
}

// A published name is named only where one is near: there are too many of them to list. Grids have any size, and so the
// one asked for.
std::string unknown_topology(const std::string& word) {
  std::vector<std::string> words = known_words();
  if (const auto size = word.find_first_of("0123456789");
      size != std::string::npos && size > 0 && word.find('x', size) != word.npos)
    for (const char* const grid : {"torus", "mesh"}) words.push_back(grid + word.substr(size));
  std::vector<std::string> all = words;
  for (const auto* const names : {&published_names(), &accelerator_names_of_boxes()})
    for (const PublishedName& each : *names) all.push_back(each.name);
  return unknown_word("topology", word, nearest_word(word, all).empty() ? words : all);
}

std::string shape_word(const Grid& grid) { return grid.front().wraps ? "torus" : "mesh"; }

MachineSpec bare_grid(const Grid& grid) {
  MachineSpec machine;
  machine.title = fmt::format("{}-D {}", grid.size(), shape_word(grid));
  const AcceleratorFile& accelerator = catalogue_accelerator(
      std::string(grid.size() > kLeastDimensions ? kThreeDimensionalGridAccelerator : kGridAccelerator));
  machine.accelerator = accelerator.spec;
  machine.bill = accelerator.bill;
  machine.grid.emplace().grid = grid;
  return machine;
}

}  // namespace

const MachineSpec* machine_called(const TopologyName& name) {
  const MachineSpec* const machine = catalogue_machine(name.head);
  if (machine == nullptr || name.head != machine->grid_name) return machine;
  const auto asked =
      std::find_if(name.options.begin(), name.options.end(), [](const auto& o) { return o.first == "accelerator"; });
  const bool same = asked != name.options.end() || machine->accelerator.name == kGridAccelerator;
  return same ? machine : nullptr;
}

Selection select_machine(const TopologyName& name) {
  if (name.is_file()) return {read_machine(Document::load(name.head)), name.head, false, false};
  if (const MachineSpec* machine = machine_called(name))
    return {*machine, machine->grid_name.empty() ? machine->name : machine->grid_name, true, false};
  if (const auto grid = parse_grid_word(name.head))
    return {bare_grid(*grid), shape_word(*grid) + size_text(*grid), false, true};
  throw InputError(unknown_topology(name.head));
}

void change_accelerator(Selection& selection, const std::string& name) {
  const AcceleratorFile& file = catalogue_accelerator(name);
  MachineSpec& machine = selection.machine;
  const AcceleratorSpec& present = machine.accelerator;
  if (file.spec.name == present.name) return;
  if (machine.node && file.spec.family != present.family)
    throw InputError(fmt::format("topology \"{}\": accelerator {} is a {}, but the machine holds a {} ({})",
                                 selection.head, name, mlsim::name(file.spec.family), mlsim::name(present.family),
                                 present.name));
  if (machine.node) {
    machine.notes.push_back(fmt::format(
        "{} stands in for {}; the links stay those of the machine and no price is known", name, present.name));
    machine.bill.clear();
  } else {
    machine.bill = file.bill;
    selection.from_catalogue = false;
    selection.bare_grid = true;
  }
  machine.accelerator = file.spec;
}

}  // namespace mlsim::topologies
