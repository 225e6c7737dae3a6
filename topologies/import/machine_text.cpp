#include "topologies/import/imports.hpp"
#include "topologies/machine/accelerator_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace mlsim::topologies {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;  // a name from a device may hold anything
  }
  return out + '"';
}

std::string figure(const std::string& value, const Source& source) {
  return fmt::format("{{value: {}, provenance: {}, source: {}{}}}", value, name(source.provenance),
                     quoted(source.source), source.date.empty() ? "" : ", date: " + quoted(source.date));
}

std::string scaled(double value, double unit, const char* name) { return fmt::format("{:.6g} {}", value / unit, name); }
std::string figure(const Sourced<BytesPerSecond>& rate) {
  return figure(scaled(rate.value.value, 1e9, "GB/s"), rate.source);
}
std::string figure(const Sourced<FlopPerSecond>& rate) {
  return figure(scaled(rate.value.value, 1e9, "GFLOP/s"), rate.source);
}
std::string figure(const Sourced<Bytes>& size) { return figure(scaled(size.value.value, 1 << 20, "MiB"), size.source); }
std::string figure(const Sourced<Seconds>& time) {
  const bool long_one = time.value.value >= 1e-6;
  return figure(scaled(time.value.value, long_one ? 1e-6 : 1e-9, long_one ? "us" : "ns"), time.source);
}
std::string bits_figure(const Sourced<BytesPerSecond>& rate) {
  return figure(scaled(rate.value.value * 8, 1e9, "Gbit/s"), rate.source);
}

std::string accelerator_text(const AcceleratorSpec& accelerator) {
  const auto known = accelerator_names();
  if (std::find(known.begin(), known.end(), accelerator.name) != known.end())
    return fmt::format("accelerator: {}\n", accelerator.name);
  std::string text = fmt::format("accelerator:\n  name: {}\n  title: {}\n  family: {}\n  peak:\n",
                                 quoted(accelerator.name), quoted(accelerator.title), name(accelerator.family));
  for (const auto& [precision, peak] : accelerator.peak)
    text += fmt::format("    {}: {}\n", name(precision), figure(peak));
  return text + fmt::format("  memory: {}\n  memory_bandwidth: {}\n  kernel_launch: {}\n", figure(accelerator.memory),
                            figure(accelerator.memory_bandwidth), figure(accelerator.kernel_launch));
}

std::string link_text(const LinkSpec& link) {
  return fmt::format("    bandwidth: {}\n    latency: {}\n", figure(link.bandwidth), figure(link.latency));
}

constexpr std::size_t kPairsPerLine = 6;

std::string pairs_text(const std::vector<NodeSpec::NvlinkPair>& pairs) {
  std::string text = "    pairs:  # accelerator, accelerator, links\n      [";
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const char* gap = i == 0 ? "" : i % kPairsPerLine == 0 ? ",\n       " : ", ";
    text += fmt::format("{}[{}, {}, {}]", gap, pairs[i].a, pairs[i].b, pairs[i].links);
  }
  return text + "]\n";
}

std::string nvlink_text(const NodeSpec& node) {
  if (node.interconnect == Interconnect::pcie) return {};
  return "  nvlink:\n" +
         (node.interconnect == Interconnect::nvswitch ? fmt::format("    per_accelerator: {}\n", node.nvlinks)
                                                      : pairs_text(node.nvlink_pairs)) +
         link_text(node.nvlink);
}

std::string nic_text(const NodeSpec& node) {
  if (node.nics == 0) return {};
  return fmt::format("  nic:\n    count: {}\n    at: {}\n    bandwidth: {}\n    latency: {}\n", node.nics,
                     node.nics_at_host ? "host" : "pcie-switch", bits_figure(node.nic.bandwidth),
                     figure(node.nic.latency));
}

std::string host_text(const std::optional<HostSpec>& host) {
  if (!host) return {};
  std::string text = fmt::format("  host:\n    threads: {}\n",
                                 figure(fmt::format("{:.0f}", host->threads.value), host->threads.source));
  if (host->memory) text += fmt::format("    memory: {}\n", figure(*host->memory));
  return text;
}

std::string node_text(const NodeSpec& node) {
  const char* interconnect = node.interconnect == Interconnect::nvlink_mesh ? "nvlink-mesh"
                             : node.interconnect == Interconnect::nvswitch  ? "nvswitch"
                                                                            : "pcie";
  return fmt::format("node:\n  accelerators: {}\n  interconnect: {}\n", node.accelerators, interconnect) +
         nvlink_text(node) + "  pcie:\n" +
         (node.per_pcie_switch > 0 ? fmt::format("    accelerators_per_switch: {}\n", node.per_pcie_switch) : "") +
         link_text(node.pcie) + nic_text(node) + host_text(node.host);
}

}  // namespace

std::string machine_text(const MachineSpec& machine, const std::string& comment) {
  std::string text;
  std::istringstream lines(comment);
  for (std::string line; std::getline(lines, line);) text += "# " + line + "\n";
  text += fmt::format("name: {}\ntitle: {}\n", quoted(machine.name), quoted(machine.title));
  text += accelerator_text(machine.accelerator) + node_text(*machine.node);
  if (!machine.notes.empty()) text += "notes:\n";
  for (const auto& note : machine.notes) text += "  - " + quoted(note) + "\n";
  return text;
}

}  // namespace mlsim::topologies
