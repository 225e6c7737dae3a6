#include "topologies/machine/own_machines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/files/folder.hpp"
#include "core/text/document.hpp"
#include "core/text/name_key.hpp"
#include "topologies/machine/machine_file.hpp"
#include "topologies/machine/published_names.hpp"

namespace mlsim::topologies {
namespace {

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

}  // namespace

void use_own_machines(const std::vector<std::string>& folders) { own_folders() = folders; }

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

}  // namespace mlsim::topologies
