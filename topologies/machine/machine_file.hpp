// Machine files have one schema, in the catalogue and for people's own; this header reads them.
#pragma once

#include <string>
#include <vector>

#include "core/text/document.hpp"
#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

/// Both throw InputError with file and line.
MachineSpec read_machine(const Document& document);

std::vector<BillRule> read_bill(const Document& rules);

/// Lists its name, grid name and aliases.
std::vector<std::string> names_of(const MachineSpec& machine);

/// Lists all of the catalogue, by name, then the user's own. As below, each file is read when it is first asked for,
/// then kept.
const std::vector<MachineSpec>& catalogue_machines();
/// Finds the machine whose name, grid name or alias `word` is; null where there is none.
const MachineSpec* catalogue_machine(const std::string& word);
/// Finds the same without the user's own.
const MachineSpec* builtin_machine(const std::string& word);

}  // namespace mlsim::topologies
