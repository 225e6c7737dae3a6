// A driver's numbers say of a PCI device how fast its links are and which accelerator of the catalogue it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

/// Reads "16.0 GT/s PCIe" and "8 GT/s" as transfers a second of a lane; empty where the driver does not know ("Unknown
/// speed").
std::optional<double> pcie_transfer_rate(std::string_view text);

/// Gives the rate of one direction of a link of `width` lanes, without packet headers. 2.5 and 5 GT/s carry 8 bits in
/// 10 (PCI Express 1 and 2), 8 to 32 GT/s 128 in 130 (3 to 5), 64 GT/s 242 bytes in 256 (6).
Sourced<BytesPerSecond> pcie_bandwidth(double transfer_rate, int width);

/// Makes the link, with the catalogue's latency of a switch.
LinkSpec pcie_link(Sourced<BytesPerSecond> bandwidth);

/// Finds the catalogue's accelerator that an NVIDIA GPU is by PCI device id ("0x20b2", as pci-ids.ucw.cz lists those of
/// vendor 10de); empty where it is none of the catalogue's.
std::string accelerator_of_device(const std::string& device);

/// Gives the catalogue's data-centre GPU of a compute capability (80 -> a100-sxm4-40gb, without NVLink a100-pcie-40gb),
/// or, where it has none of just that number, the nearest below: the `assumed` answer for a board of unknown id.
std::string accelerator_of_capability(int sm, bool nvlink);

/// Gives the line rate of one NVLink, one direction, by compute capability.
Sourced<BytesPerSecond> nvlink_bandwidth(int sm);

}  // namespace mlsim::topologies
