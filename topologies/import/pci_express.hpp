// Rates of PCI Express links are computed from what drivers say of them.
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

}  // namespace mlsim::topologies
