// Own machines are machines of the user's, whose names work like those of the catalogue.
#pragma once

#include <string>
#include <vector>

#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

/// Names folders of machine files, which are read when a name is looked up that the catalogue does not have, or all are
/// listed. It must be called before that, once. Of two machines of a name the one of the earlier folder counts.
void use_own_machines(const std::vector<std::string>& folders);

/// Throws InputError where a folder or file cannot be read, and with the file where a name is not free or no word of
/// the grammar of topologies.
const std::vector<MachineSpec>& own_machines();

}  // namespace mlsim::topologies
