// Machine files have one schema, in the catalogue and for people's own; this header reads them.
#pragma once

#include <string>
#include <vector>

#include "core/text/document.hpp"
#include "topologies/cluster/cluster.hpp"
#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

/// The libraries are "nccl", "mpi", "gloo" and AMD's "rccl".
const std::vector<std::string>& library_names();

/// Reads one of these names. Throws InputError with file, line and the nearest.
std::string read_library_name(const Document& document);

/// The entry is a map from libraries to {share, message, call, sum_16}, the last two optional. Throws InputError with
/// file, line and the nearest name of a library or key.
NetworkSpec read_network(const Document& network);

/// Throws InputError with file and line.
MachineSpec read_machine(const Document& document);

/// Lists its name, grid name and aliases.
std::vector<std::string> names_of(const MachineSpec& machine);

/// Lists all of the catalogue, by name, then the user's own. As below, each file is read when it is first asked for,
/// then kept.
const std::vector<MachineSpec>& catalogue_machines();
/// Finds the machine whose name, grid name or alias `word` is; null where there is none.
const MachineSpec* catalogue_machine(const std::string& word);
/// Finds the same without the user's own.
const MachineSpec* builtin_machine(const std::string& word);

/// Own machines are machines of the user, whose names work like those of the catalogue. This names folders of machine
/// files, which are read when a name is looked up that the catalogue does not have, or all are listed. It must be
/// called before that, once. Of two machines of a name the one of the earlier folder counts.
void use_own_machines(const std::vector<std::string>& folders);

}  // namespace mlsim::topologies
