#include "topologies/import/pci_device.hpp"

#include <fmt/format.h>

#include <algorithm>
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

struct Board {
  std::string_view device, accelerator;
};
constexpr std::array kBoards{Board{"0x102d", "k80"},
                             Board{"0x13f2", "m60"},
                             Board{"0x15f8", "p100-pcie"},
                             Board{"0x15f9", "p100-sxm2"},
                             Board{"0x1b38", "p40"},
                             Board{"0x1bb3", "p4"},
                             Board{"0x1b06", "gtx-1080-ti"},
                             Board{"0x1db1", "v100-sxm2-16gb"},
                             Board{"0x1db4", "v100-pcie"},
                             Board{"0x1db5", "v100-sxm2-32gb"},
                             Board{"0x1db6", "v100-pcie-32gb"},
                             Board{"0x1db8", "v100-sxm3-32gb"},
                             Board{"0x1df6", "v100s-pcie"},
                             Board{"0x1eb8", "t4"},
                             Board{"0x1e30", "quadro-rtx-6000"},
                             Board{"0x1e04", "rtx-2080-ti"},
                             Board{"0x1e07", "rtx-2080-ti"},
                             Board{"0x20b0", "a100-sxm4-40gb"},
                             Board{"0x20b2", "a100-sxm4-80gb"},
                             Board{"0x20f1", "a100-pcie-40gb"},
                             Board{"0x20b5", "a100-pcie-80gb"},
                             Board{"0x20b7", "a30"},
                             Board{"0x2235", "a40"},
                             Board{"0x2237", "a10g"},
                             Board{"0x2204", "rtx-3090"},
                             Board{"0x2230", "rtx-a6000"},
                             Board{"0x2684", "rtx-4090"},
                             Board{"0x26b5", "l40"},
                             Board{"0x26b9", "l40s"},
                             Board{"0x27b8", "l4"},
                             Board{"0x2b85", "rtx-5090"},
                             Board{"0x2330", "h100-sxm5"},
                             Board{"0x2331", "h100-pcie"},
                             Board{"0x2321", "h100-nvl"},
                             Board{"0x2335", "h200-sxm"},
                             Board{"0x233b", "h200-nvl"},
                             Board{"0x2901", "b200-sxm"},
                             Board{"0x2941", "gb200"}};

struct Generation {
  int sm;
  std::string_view with_nvlink, without;
};
constexpr std::array kGenerations{Generation{37, "k80", "k80"},
                                  Generation{52, "m60", "m60"},
                                  Generation{60, "p100-sxm2", "p100-pcie"},
                                  Generation{61, "p40", "p40"},
                                  Generation{70, "v100-sxm2-16gb", "v100-pcie"},
                                  Generation{75, "quadro-rtx-6000", "t4"},
                                  Generation{80, "a100-sxm4-40gb", "a100-pcie-40gb"},
                                  Generation{86, "a40", "a40"},
                                  Generation{89, "l40s", "l40s"},
                                  Generation{90, "h100-sxm5", "h100-pcie"},
                                  Generation{100, "b200-sxm", "b200-sxm"},
                                  Generation{120, "rtx-5090", "rtx-5090"}};

// Data sheets give the sum over links and directions. NCCL reckons with less: 18, 20, 20, 12, 20.6 and 40.1 GB/s for
// capabilities 60, 70, 80, 86, 90 and 100 (src/graph/topo.h); what software reaches of a line is sim's business.
struct Nvlink {
  int sm;
  double gigabytes;  // a second, one direction
  Provenance provenance;
  std::string_view source;
};
constexpr std::array kNvlinks{
    Nvlink{60, 20, Provenance::datasheet, "NVIDIA P100 data sheet: NVLink 1, 160 GB/s over 4 links in both directions"},
    Nvlink{70, 25, Provenance::datasheet, "NVIDIA V100 data sheet: NVLink 2, 300 GB/s over 6 links in both directions"},
    Nvlink{75, 25, Provenance::assumed,
           "NVIDIA Turing whitepaper: two x8 NVLinks, 100 GB/s in both directions, recalled"},
    Nvlink{80, 25, Provenance::datasheet,
           "NVIDIA A100 data sheet: NVLink 3, 600 GB/s over 12 links in both directions"},
    Nvlink{86, 14.0625, Provenance::assumed,
           "NVIDIA Ampere GA102 whitepaper: four x4 NVLinks, 112.5 GB/s in both directions, recalled"},
    Nvlink{90, 25, Provenance::datasheet,
           "NVIDIA H100 data sheet: NVLink 4, 900 GB/s over 18 links in both directions"},
    Nvlink{100, 50, Provenance::assumed,
           "NVLink 5 of Blackwell, 1800 GB/s over 18 links in both directions, recalled"}};

/// Finds the last of an ascending table that is not above `sm`, or the first.
template <class Table>
const auto& entry_for(const Table& table, int sm) {
  const auto above = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.sm > sm; });
  return above == table.begin() ? *above : *std::prev(above);
}

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

std::string accelerator_of_device(const std::string& device) {
  const auto found = std::find_if(kBoards.begin(), kBoards.end(), [&](const Board& b) { return b.device == device; });
  return found == kBoards.end() ? std::string() : std::string(found->accelerator);
}

std::string accelerator_of_capability(int sm, bool nvlink) {
  const Generation& generation = entry_for(kGenerations, sm);
  return std::string(nvlink ? generation.with_nvlink : generation.without);
}

Sourced<BytesPerSecond> nvlink_bandwidth(int sm) {
  const Nvlink& nvlink = entry_for(kNvlinks, sm);
  return {gigabytes_per_second(nvlink.gigabytes), {nvlink.provenance, std::string(nvlink.source), ""}};
}

}  // namespace mlsim::topologies
