// An `NcclXmlSystem` has what a topology file of NCCL (NCCL_TOPO_DUMP_FILE) lists: GPUs with their links, NICs, and
// the switches between.
#pragma once

#include <string>
#include <vector>

namespace mlsim::topologies {

struct NcclNvlinks {
  std::string target;  // bus id of the GPU or switch
  int count = 0;
  bool to_switch = false;  // tclass 0x068000
  bool to_gpu = false;     // tclass 0x03...; neither: a processor with NVLink (Power)
};

/// A PCI device has a place; its "PCIe switch" is the bridge below the processor that it hangs under.
struct NcclPlace {
  std::string bus_id, pci_class, device;  // class and device id as the device states them: "0x030200", "0x20b2"
  std::string pcie_switch;                // bus id of the outermost bridge, "" at the processor itself
  std::string link_speed;                 // "16.0 GT/s PCIe", as the driver says it; may be empty
  int link_width = 0;                     // lanes; 0: unknown
};

struct NcclGpu {
  NcclPlace place;
  int dev = 0, sm = 0;
  std::vector<NcclNvlinks> nvlinks;
};

struct NcclNet {
  NcclPlace place;
  std::string name;         // "mlx5_0"
  double megabits = 0;      // a second; 0 or less: unknown
  bool gpu_direct = false;  // remote DMA to and from GPUs
};

struct NcclXmlSystem {
  std::vector<NcclGpu> gpus;  // in file order
  std::vector<NcclNet> nets;
  int threads = 0;  // set in the affinity masks of the processors; 0: not said
  int hosts = 1;    // host_hash values
};

/// Reads a file. Unknown elements and attributes are passed over. Throws InputError with file and line where it is no
/// XML, was cut off, has another root than <system>, lists no GPU, or a number is none.
NcclXmlSystem read_nccl_xml(const std::string& path);

}  // namespace mlsim::topologies
