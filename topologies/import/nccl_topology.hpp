// nccl_topology() makes a machine of the topology file that NCCL writes (NCCL_TOPO_DUMP_FILE), which every user of a
// cluster can make.
#pragma once

#include <string>

#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

struct NcclTopologyHints {
  std::string name = "imported";  // name of the machine
  std::string accelerator;        // name in the catalogue; empty: by PCI device id, else by compute capability
};

/// Makes the node that `path` describes: accelerators in the order of their dev numbers, those of one PCIe switch
/// together; NVLinks between pairs or to NVSwitches; the PCIe tree as one level (the switches right below the
/// processors); NICs at the switches where accelerators are, else at the host. What the file does not say is assumed,
/// and in the notes. Throws InputError as read_nccl_xml does, or for an accelerator that the catalogue has not.
MachineSpec nccl_topology(const std::string& path, const NcclTopologyHints& hints = {});

/// Writes the same as the text of a machine file.
std::string nccl_machine_text(const std::string& path, const NcclTopologyHints& hints = {});

}  // namespace mlsim::topologies
