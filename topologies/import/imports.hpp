// Machines that other programs describe are read here, hwloc and NCCL, and written as our own machine files.
#pragma once

#include <string>

#include "topologies/import/host_machine.hpp"
#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

/// Describes the machine that this process runs on; its NICs have the speeds that their drivers tell. Throws
/// Unavailable where this build has no hwloc, or hwloc fails.
HostMachine this_machine();

/// Reads a file that `lstopo --of xml` wrote (hwloc 2). Such a file has no clock, no instruction sets and no speeds of
/// NICs. A child reads it first, as hwloc may crash on a broken one: the caller must be single-threaded. Throws
/// InputError with file and line, Unavailable where this build has no hwloc.
HostMachine hwloc_machine(const std::string& path);

/// nccl_topology() makes a machine of the topology file that NCCL writes (NCCL_TOPO_DUMP_FILE), which every user of a
/// cluster can make.
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

/// Writes the file of a machine of nodes; `comment` stands above it, a line of it for each of its own. An accelerator
/// that the catalogue has is named, another written out. Figures have six digits. The node has no bill, leaves or
/// oversubscription of its own.
std::string machine_text(const MachineSpec& machine, const std::string& comment);

}  // namespace mlsim::topologies
