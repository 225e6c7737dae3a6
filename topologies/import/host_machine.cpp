#include "topologies/import/host_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "core/text/errors.hpp"
#include "core/text/spelling.hpp"
#include "core/text/units_text.hpp"
#include "topologies/import/imports.hpp"
#include "topologies/import/pci_device.hpp"
#include "topologies/machine/accelerator_file.hpp"

namespace mlsim::topologies {
namespace {

// The catalogue's n1-cpu has these: one DDR4-2133 channel for two cores, a server's usual base clock, AVX2.
constexpr double kBandwidthPerCore = 8.5e9;
constexpr double kUsualClock = 2e9;
constexpr int kUsualFlop = 32;
constexpr double kPcieThird = 8e9;
constexpr int kPcieLanes = 16;

Sourced<FlopPerSecond> fp32_peak(const HostMachine& host, const ProcessorCeilings& ceilings) {
  if (ceilings.fp32) return {*ceilings.fp32, {Provenance::measured, ceilings.source, ceilings.date}};
  const double clock = host.clock > 0 ? host.clock : kUsualClock;
  const int flop = host.fp32_per_cycle > 0 ? host.fp32_per_cycle : kUsualFlop;
  return {FlopPerSecond(host.cores * clock * flop),
          {Provenance::assumed,
           fmt::format("{} cores x {:.3g} GHz{} x {} FLOP a cycle{}", host.cores, clock / 1e9,
                       host.clock > 0 ? "" : " (a usual base clock)", flop,
                       host.fp32_per_cycle > 0 ? "" : " (two 8-wide fused multiply-adds of AVX2)"),
           ""}};
}

Sourced<BytesPerSecond> memory_bandwidth(const HostMachine& host, const ProcessorCeilings& ceilings) {
  if (ceilings.memory) return {*ceilings.memory, {Provenance::measured, ceilings.source, ceilings.date}};
  return {BytesPerSecond(host.cores * kBandwidthPerCore),
          {Provenance::assumed, "8.5 GB/s a core: a DDR4-2133 channel for two", ""}};
}

AcceleratorSpec processor_of(const HostMachine& host, const HostMachineHints& hints) {
  AcceleratorSpec processor;
  processor.name = hints.accelerator.empty() ? processor_slug(host.processor) : hints.accelerator;
  processor.title = fmt::format("{}{} cores of {}", host.sockets > 1 ? fmt::format("{} sockets, ", host.sockets) : "",
                                host.cores, host.processor.empty() ? "an unnamed processor" : host.processor);
  processor.family = AcceleratorFamily::cpu;
  processor.peak[Precision::fp32] = fp32_peak(host, hints.ceilings);
  if (host.memory.value <= 0) throw InputError(host.origin, "does not say how much memory the machine has");
  processor.memory = {host.memory, {Provenance::measured, fmt::format("memory of {}, by hwloc", host.origin), ""}};
  processor.memory_bandwidth = memory_bandwidth(host, hints.ceilings);
  processor.kernel_launch = {Seconds(5e-6),
                             {Provenance::assumed, "time to wake a pool of threads for an operation", ""}};
  return processor;
}

AcceleratorSpec gpu_of(const HostMachine& host, const HostMachineHints& hints) {
  if (host.gpus.empty()) throw InputError(host.origin, "has no NVIDIA GPU that hwloc sees");
  if (!hints.accelerator.empty()) return load_accelerator(hints.accelerator);
  for (const auto& gpu : host.gpus)
    if (gpu.device != host.gpus.front().device)
      throw InputError(host.origin, fmt::format("has GPUs of PCI device {} and {}; a node has accelerators of one kind",
                                                host.gpus.front().device, gpu.device));
  const auto name = accelerator_of_device(host.gpus.front().device);
  if (name.empty())
    throw InputError(host.origin,
                     fmt::format("has GPUs of PCI device {}, which is not known here; name the accelerator",
                                 host.gpus.front().device));
  return load_accelerator(name);
}

void set_nics(NodeSpec& node, const HostMachine& host, std::vector<std::string>& notes) {
  double sum = 0;
  std::set<double> speeds;
  std::string silent;
  for (const auto& nic : host.nics) {
    if (nic.megabits <= 0) {
      silent += (silent.empty() ? "" : ", ") + nic.name;
      continue;
    }
    ++node.nics;
    sum += nic.megabits;
    speeds.insert(nic.megabits);
  }
  if (!silent.empty())
    notes.push_back(fmt::format("NICs whose speed {} does not tell are left out: {}", host.origin, silent));
  if (node.nics == 0) return;
  if (speeds.size() > 1) notes.push_back("the NICs differ in speed; each is given their mean");
  node.nic = {{BytesPerSecond(sum / node.nics * 1e6 / 8),
               {Provenance::datasheet, fmt::format("line rate as the driver of {} says it", host.origin), ""}},
              {Seconds(12.5e-6), {Provenance::assumed, "half of 25 us one way over kernel TCP", ""}}};
}

std::vector<std::string> lines_with(const std::string& text, const std::string& key) {
  std::vector<std::string> found;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key) && line.find(':') != std::string::npos) found.push_back(line.substr(line.find(':') + 1));
  return found;
}

}  // namespace

MachineSpec machine_of(const HostMachine& host, const HostMachineHints& hints) {
  const bool gpus = hints.accelerators == HostMachineHints::Accelerators::gpus;
  MachineSpec machine;
  machine.name = hints.name;
  machine.accelerator = gpus ? gpu_of(host, hints) : processor_of(host, hints);
  NodeSpec& node = machine.node.emplace();
  node.accelerators = gpus ? static_cast<int>(host.gpus.size()) : 1;
  machine.title = fmt::format("{} x {}", node.accelerators, machine.accelerator.title);
  auto pcie = pcie_bandwidth(kPcieThird, kPcieLanes);
  pcie.source = {Provenance::assumed, "PCI Express 3.0 x16, the least that such machines have", ""};
  if (gpus && host.gpus.front().link.value > 0)
    pcie = {host.gpus.front().link,
            {Provenance::datasheet, fmt::format("link of the GPU, by hwloc of {}", host.origin), ""}};
  node.pcie = pcie_link(pcie);
  if (gpus)
    machine.notes.push_back(
        "hwloc sees no NVLinks and the PCIe switches are not in this file: NCCL's topology file has both");
  set_nics(node, host, machine.notes);
  const Source source{Provenance::measured, fmt::format("{}, by hwloc", host.origin), ""};
  node.host = HostSpec{0, {static_cast<double>(host.threads), source}, {}, {}};
  if (host.memory.value > 0) node.host->memory = Sourced<Bytes>{host.memory, source};
  return machine;
}

std::string machine_file_text(const HostMachine& host, const HostMachineHints& hints) {
  return machine_text(machine_of(host, hints), fmt::format("Written by mlsim from {}, by hwloc.", host.origin));
}

double clock_of(const std::string& cpuinfo) {
  double highest = 0;
  for (const auto& value : lines_with(cpuinfo, "cpu MHz")) {
    try {
      highest = std::max(highest, parse_number(value) * 1e6);
    } catch (const InputError&) {
      continue;  // a kernel that writes "unknown"
    }
  }
  return highest;
}

// A core counts two fused multiply-add units, as servers' cores have (Intel since Haswell, with AVX-512 the Xeons since
// Skylake; AMD since Zen 2; Arm Neoverse); without fused ones it has one adder and one multiplier.
int fp32_per_cycle_of(const std::string& cpuinfo) {
  std::set<std::string> flags;
  for (const char* key : {"flags", "Features"}) {
    const auto lines = lines_with(cpuinfo, key);
    if (lines.empty()) continue;
    std::istringstream in(lines.front());
    for (std::string flag; in >> flag;) flags.insert(flag);
  }
  constexpr int kUnits = 2, kFused = 2;
  if (flags.contains("avx512f")) return kUnits * kFused * 16;
  if (flags.contains("fma") && flags.contains("avx2")) return kUnits * kFused * 8;
  if (flags.contains("asimd")) return kUnits * kFused * 4;
  if (flags.contains("avx")) return kUnits * 8;
  return flags.contains("sse2") ? kUnits * 4 : 0;
}

ProcessorCeilings measured_ceilings(const Profile& profile) {
  ProcessorCeilings ceilings;
  Bytes copied;
  for (const auto& probe : profile.probes) {
    if (probe.name.precision != Precision::fp32) continue;
    if (probe.name.kind == "gemm") {
      const FlopPerSecond rate = probe.flop / probe.time.median;
      ceilings.fp32 = ceilings.fp32 ? max(*ceilings.fp32, rate) : rate;
    } else if (probe.name.kind == "copy" && probe.bytes >= copied) {
      const BytesPerSecond rate = probe.bytes / probe.time.median;
      ceilings.memory = ceilings.memory && probe.bytes == copied ? max(*ceilings.memory, rate) : rate;
      copied = probe.bytes;
    } else {
      continue;
    }
    ceilings.source = probe.source.source;
    ceilings.date = probe.source.date;
  }
  for (const auto& law : profile.laws)
    if (law.precision == Precision::fp32 && ceilings.fp32) ceilings.fp32 = max(*ceilings.fp32, law.constants.compute);
  return ceilings;
}

HostMachineHints measured_hints(const Profile& profile) {
  HostMachineHints hints;
  if (profile.environment.contains("gpu")) {
    hints.accelerators = HostMachineHints::Accelerators::gpus;
    const auto known = accelerator_names();
    if (std::find(known.begin(), known.end(), profile.accelerator) != known.end())
      hints.accelerator = profile.accelerator;
  } else {
    hints.accelerator = profile.accelerator;
    hints.ceilings = measured_ceilings(profile);
  }
  return hints;
}

}  // namespace mlsim::topologies
