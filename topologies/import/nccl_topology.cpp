#include "topologies/import/imports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/text/errors.hpp"
#include "topologies/construction/build_cluster.hpp"
#include "topologies/import/nccl_xml.hpp"
#include "topologies/import/pci_device.hpp"
#include "topologies/machine/accelerator_file.hpp"

namespace mlsim::topologies {
namespace {

using Notes = std::vector<std::string>;

/// Names the PCIe switch that an accelerator shares, or, where it has none, its own bus id.
const std::string& group_of(const NcclPlace& place) {
  return place.pcie_switch.empty() ? place.bus_id : place.pcie_switch;
}

// Sorts by dev, but with the accelerators of a switch side by side, as a machine file deals them out.
void sort_gpus(std::vector<NcclGpu>& gpus) {
  std::stable_sort(gpus.begin(), gpus.end(), [](const NcclGpu& a, const NcclGpu& b) { return a.dev < b.dev; });
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < gpus.size(); ++i) first.emplace(group_of(gpus[i].place), i);
  std::stable_sort(gpus.begin(), gpus.end(), [&](const NcclGpu& a, const NcclGpu& b) {
    return first.at(group_of(a.place)) < first.at(group_of(b.place));
  });
}

AcceleratorSpec accelerator_of(const std::vector<NcclGpu>& gpus, const std::string& requested, const std::string& path,
                               Notes& notes) {
  if (!requested.empty()) return load_accelerator(requested);
  for (const auto& gpu : gpus)
    if (gpu.sm != gpus.front().sm)
      throw InputError(path,
                       fmt::format("has GPUs of compute capability {} and {}; a node has accelerators of one kind",
                                   gpus.front().sm, gpu.sm));
  const NcclGpu& gpu = gpus.front();
  if (const auto known = accelerator_of_device(gpu.place.device); !known.empty()) return load_accelerator(known);
  const auto nearest = accelerator_of_capability(gpu.sm, !gpu.nvlinks.empty());
  notes.push_back(fmt::format("PCI device {} is not known here; {} is assumed by compute capability {}",
                              gpu.place.device.empty() ? "(not said)" : gpu.place.device, nearest, gpu.sm));
  return load_accelerator(nearest);
}

int links_to_switches(const NcclGpu& gpu) {
  int links = 0;
  for (const auto& nvlinks : gpu.nvlinks)
    if (nvlinks.to_switch) links += nvlinks.count;
  return links;
}

std::vector<NodeSpec::NvlinkPair> pairs_of(const std::vector<NcclGpu>& gpus) {
  std::map<std::string, int> number;
  for (std::size_t i = 0; i < gpus.size(); ++i) number.emplace(gpus[i].place.bus_id, static_cast<int>(i));
  std::map<std::pair<int, int>, int> links;  // each pair stands in the file from both its ends
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    for (const auto& nvlinks : gpus[i].nvlinks) {
      const auto other = number.find(nvlinks.target);
      if (!nvlinks.to_gpu || other == number.end() || other->second == static_cast<int>(i)) continue;
      int& count = links[std::minmax(static_cast<int>(i), other->second)];
      count = std::max(count, nvlinks.count);
    }
  }
  std::vector<NodeSpec::NvlinkPair> pairs;
  for (const auto& [ends, count] : links) pairs.push_back({ends.first, ends.second, count});
  return pairs;
}

void set_nvlink(NodeSpec& node, const std::vector<NcclGpu>& gpus, Notes& notes) {
  int least = links_to_switches(gpus.front()), most = least;
  for (const auto& gpu : gpus) {
    least = std::min(least, links_to_switches(gpu));
    most = std::max(most, links_to_switches(gpu));
  }
  node.nvlink_pairs = most > 0 ? std::vector<NodeSpec::NvlinkPair>() : pairs_of(gpus);
  if (most == 0 && node.nvlink_pairs.empty()) return;
  node.interconnect = most > 0 ? Interconnect::nvswitch : Interconnect::nvlink_mesh;
  node.nvlinks = most;
  if (least != most)
    notes.push_back(
        fmt::format("the accelerators have {} to {} NVLinks to switches; all are taken to have {}", least, most, most));
  const Source latency{Provenance::assumed,
                       most > 0 ? "half of an NVLink hop through one NVSwitch, 0.6 us"
                                : "a load from a neighbour over NVLink takes well under 1 us; what software adds is "
                                  "counted elsewhere",
                       ""};
  node.nvlink = {nvlink_bandwidth(gpus.front().sm), {Seconds(most > 0 ? 300e-9 : 500e-9), latency}};
}

LinkSpec pcie_of(const NcclPlace& place, Notes& notes) {
  constexpr double kThird =
      8e9;  // transfers a second of PCI Express 3, which NCCL takes, too, where a driver is silent
  constexpr int kLanes = 16;
  const auto transfers = pcie_transfer_rate(place.link_speed);
  auto bandwidth = pcie_bandwidth(transfers.value_or(kThird), place.link_width > 0 ? place.link_width : kLanes);
  if (!transfers || place.link_width == 0) {
    bandwidth.source.provenance = Provenance::assumed;
    notes.push_back("the file does not say the PCIe speed; that of PCI Express 3.0 x16 is assumed where it is silent");
  }
  return pcie_link(bandwidth);
}

/// Says whether the NIC hangs under the PCIe switch of an accelerator.
bool is_beside(const NcclNet& net, const std::vector<NcclGpu>& gpus) {
  const auto& name = net.place.pcie_switch;
  return !name.empty() &&
         std::any_of(gpus.begin(), gpus.end(), [&](const NcclGpu& gpu) { return gpu.place.pcie_switch == name; });
}

void set_pcie(NodeSpec& node, const NcclXmlSystem& system, Notes& notes) {
  node.pcie = pcie_of(system.gpus.front().place, notes);
  std::map<std::string, int> below;
  for (const auto& gpu : system.gpus) ++below[group_of(gpu.place)];
  int most = 0, least = node.accelerators;
  for (const auto& [name, count] : below) {
    most = std::max(most, count);
    least = std::min(least, count);
  }
  const bool nics = std::any_of(system.nets.begin(), system.nets.end(),
                                [&](const NcclNet& net) { return is_beside(net, system.gpus); });
  if (most == 1 && !nics) return;  // each on a link of its own to the host
  node.per_pcie_switch = most;
  if (least != most)
    notes.push_back(fmt::format("PCIe switches hold {} to {} accelerators; the machine is taken to have {} each", least,
                                most, most));
}

LinkSpec nic_of(const std::vector<NcclNet>& nets, const std::string& path, Notes& notes) {
  constexpr double kUnknown = 10000;  // Mbit/s, as NCCL takes it (src/graph/topo.cc)
  double sum = 0;
  std::set<double> speeds;
  Source source{Provenance::datasheet, fmt::format("line rate as the driver says it ({})", path), ""};
  for (const auto& net : nets) {
    if (net.megabits <= 0) source = {Provenance::assumed, "10 Gbit/s where a driver names no speed, as in NCCL", ""};
    const double speed = net.megabits > 0 ? net.megabits : kUnknown;
    speeds.insert(speed);
    sum += speed;
  }
  if (speeds.size() > 1) notes.push_back("the NICs differ in speed; each is given their mean");
  const Sourced<BytesPerSecond> bandwidth{BytesPerSecond(sum / static_cast<double>(nets.size()) * 1e6 / 8), source};
  const auto all = [&](auto has) { return std::all_of(nets.begin(), nets.end(), has); };
  if (all([](const NcclNet& net) { return net.place.pci_class.starts_with("0x0207"); }))
    return {bandwidth,
            {Seconds(350e-9),
             {Provenance::assumed,
              "half of 0.7 us: two adapters 0.6 us, one switch about 0.1 us (InfiniBand product briefs, "
              "recalled)",
              ""}}};
  if (all([](const NcclNet& net) { return net.gpu_direct; }))
    return {bandwidth,
            {Seconds(1e-6),
             {Provenance::assumed,
              "half of 2 us one way over RDMA on Ethernet: two adapters and one or two switches, as with "
              "InfiniBand but slower switches",
              ""}}};
  return {bandwidth, {Seconds(12.5e-6), {Provenance::assumed, "half of 25 us one way over kernel TCP", ""}}};
}

// Where some hang under an accelerator's switch, the others (storage, management) are left out: a machine file has NICs
// at one kind of place.
void set_nics(NodeSpec& node, const NcclXmlSystem& system, const std::string& path, Notes& notes) {
  std::vector<NcclNet> beside, elsewhere;
  for (const auto& net : system.nets) (is_beside(net, system.gpus) ? beside : elsewhere).push_back(net);
  node.nics_at_host = beside.empty();
  const auto& nets = beside.empty() ? elsewhere : beside;
  if (nets.empty()) return;
  node.nics = static_cast<int>(nets.size());
  node.nic = nic_of(nets, path, notes);
  if (beside.empty() || elsewhere.empty()) return;
  std::string names;
  for (const auto& net : elsewhere) names += (names.empty() ? "" : ", ") + net.name;
  notes.push_back(fmt::format("NICs away from the accelerators are left out: {}", names));
}

}  // namespace

MachineSpec nccl_topology(const std::string& path, const NcclTopologyHints& hints) {
  NcclXmlSystem system = read_nccl_xml(path);
  sort_gpus(system.gpus);
  MachineSpec machine;
  machine.name = hints.name;
  machine.accelerator = accelerator_of(system.gpus, hints.accelerator, path, machine.notes);
  NodeSpec& node = machine.node.emplace();
  node.accelerators = static_cast<int>(system.gpus.size());
  machine.title = fmt::format("{} x {}, from NCCL's topology file", node.accelerators, machine.accelerator.title);
  if (system.hosts > 1)
    machine.notes.push_back(fmt::format("the file describes {} hosts, taken as one node", system.hosts));
  set_nvlink(node, system.gpus, machine.notes);
  set_pcie(node, system, machine.notes);
  set_nics(node, system, path, machine.notes);
  if (system.threads > 0)
    node.host = HostSpec{0,
                         {static_cast<double>(system.threads),
                          {Provenance::measured, fmt::format("affinity masks of the processors ({})", path), ""}},
                         {},
                         {}};
  return machine;
}

std::string nccl_machine_text(const std::string& path, const NcclTopologyHints& hints) {
  return machine_text(nccl_topology(path, hints), fmt::format("Written by mlsim from {} (NCCL_TOPO_DUMP_FILE).", path));
}

}  // namespace mlsim::topologies
