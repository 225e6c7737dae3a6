// A `HostMachine` is a server as its operating system knows it; a machine file follows from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topologies/machine/machine_spec.hpp"

namespace mlsim::topologies {

struct HostNic {
  std::string name;     // "eth0"
  double megabits = 0;  // a second, line rate; 0: unknown
};

struct HostGpu {
  std::string device;   // PCI device id, "0x20b2"
  BytesPerSecond link;  // PCIe; 0: unknown
};

struct HostMachine {
  std::string origin;     // "this machine" or a file
  std::string processor;  // model name; may be empty
  int sockets = 1, cores = 1, threads = 1;
  Bytes memory;            // 0: unknown
  double clock = 0;        // Hz; 0: unknown
  int fp32_per_cycle = 0;  // FLOP a core and cycle; 0: unknown
  std::vector<HostNic> nics;
  std::vector<HostGpu> gpus;  // NVIDIA's
};

/// Ceilings were measured of the processor; absent figures are assumed from its cores.
struct ProcessorCeilings {
  std::optional<FlopPerSecond> fp32;
  std::optional<BytesPerSecond> memory;  // read and write, as a copy
  std::string source, date;
};

struct HostMachineHints {
  enum class Accelerators { processor, gpus };
  Accelerators accelerators = Accelerators::processor;
  std::string name = "this-machine";
  std::string accelerator;  // empty: "cpu-" and the model, or by the GPUs' PCI device id
  ProcessorCeilings ceilings;
};

/// Makes one node whose accelerator is the processor (all its cores), or its GPUs. NICs of unknown speed are left out
/// and noted; the node stands alone where none is left. Throws InputError where GPUs are asked for and there are none,
/// or none that the catalogue knows.
MachineSpec machine_of(const HostMachine& host, const HostMachineHints& hints = {});

/// Writes the same as the text of a machine file.
std::string machine_file_text(const HostMachine& host, const HostMachineHints& hints = {});

/// These read the clock in Hz (highest of "cpu MHz") and FLOP a cycle from the text of /proc/cpuinfo; 0 where it does
/// not say.
double clock_of(const std::string& cpuinfo);
/// AVX-512 gives 64, AVX2 with FMA 32, AVX 16, SSE or NEON 8 or 16, in fp32; see the source for the units assumed.
int fp32_per_cycle_of(const std::string& cpuinfo);

}  // namespace mlsim::topologies
