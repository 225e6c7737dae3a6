// A driver's numbers say two things of an NVIDIA GPU: the catalogue's accelerator, and the rate of one of its NVLinks.
#pragma once

#include <string>

#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

/// Finds it by PCI device id ("0x20b2", as pci-ids.ucw.cz lists those of vendor 10de); empty where it is none of the
/// catalogue's.
std::string accelerator_of_device(const std::string& device);

/// Gives the catalogue's data-centre GPU of a compute capability (80 -> a100-sxm4-40gb, without NVLink a100-pcie-40gb),
/// or, where it has none of just that number, the nearest below: the `assumed` answer for a board of unknown id.
std::string accelerator_of_capability(int sm, bool nvlink);

/// Gives the line rate of one NVLink, one direction, by compute capability.
Sourced<BytesPerSecond> nvlink_bandwidth(int sm);

}  // namespace mlsim::topologies
