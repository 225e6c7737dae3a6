#include "topologies/import/pci_express.hpp"

#include <fmt/format.h>

#include <array>

#include "core/text/errors.hpp"
#include "core/text/units_text.hpp"

namespace mlsim::topologies {
namespace {

struct PciGeneration {
  double transfers;  // a second and lane
  std::string_view name;
  double share;  // share of the bits that are data
  std::string_view code;
};
constexpr std::array kPciGenerations{PciGeneration{2.5e9, "1.0", 8.0 / 10, "8b/10b"},
                                     PciGeneration{5e9, "2.0", 8.0 / 10, "8b/10b"},
                                     PciGeneration{8e9, "3.0", 128.0 / 130, "128b/130b"},
                                     PciGeneration{16e9, "4.0", 128.0 / 130, "128b/130b"},
                                     PciGeneration{32e9, "5.0", 128.0 / 130, "128b/130b"},
                                     PciGeneration{64e9, "6.0", 242.0 / 256, "242 bytes of a flit of 256"}};

}  // namespace

std::optional<double> pcie_transfer_rate(std::string_view text) {
  const auto unit = text.find("GT/s");
  if (unit == std::string_view::npos) return {};
  try {
    const double transfers = parse_number(text.substr(0, unit)) * 1e9;
    return transfers > 0 ? std::optional(transfers) : std::nullopt;
  } catch (const InputError&) {
    return {};
  }
}

Sourced<BytesPerSecond> pcie_bandwidth(double transfer_rate, int width) {
  const PciGeneration* generation = &kPciGenerations.front();
  for (const auto& g : kPciGenerations)
    if (g.transfers <= transfer_rate) generation = &g;
  const BytesPerSecond rate(transfer_rate * width * generation->share / 8);
  return {
      rate,
      {Provenance::datasheet,
       fmt::format("PCI Express {} x{}: {:g} GT/s, {}", generation->name, width, transfer_rate / 1e9, generation->code),
       ""}};
}

LinkSpec pcie_link(Sourced<BytesPerSecond> bandwidth) {
  return {std::move(bandwidth),
          {Seconds(150e-9), {Provenance::assumed, "about the cut-through time of one PCIe switch chip", ""}}};
}

}  // namespace mlsim::topologies
