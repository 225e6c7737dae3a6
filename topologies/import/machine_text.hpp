// machine_text() writes a machine as the YAML text that topologies/machine/machine_file.hpp reads.
#pragma once

#include <string>

#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

/// Writes the file of a machine of nodes; `comment` stands above it, a line of it for each of its own. An accelerator
/// that the catalogue has is named, another written out. Figures have six digits. The node has no bill, leaves or
/// oversubscription of its own.
std::string machine_text(const MachineSpec& machine, const std::string& comment);

}  // namespace mlsim::topologies
