#include "topologies/import/imports.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/process/forked.hpp"
#include "core/text/errors.hpp"
#include "topologies/import/xml_check.hpp"

#ifdef MLSIM_WITH_HWLOC
#include <hwloc.h>

#include <memory>
#include <type_traits>
#endif

namespace mlsim::topologies {

#ifdef MLSIM_WITH_HWLOC
namespace {

constexpr Seconds kPatience(10);  // what lstopo wrote is read in milliseconds
constexpr const char* kNoTopology = "is XML, but no topology that hwloc 2 reads; write it again with lstopo --of xml";

using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, decltype(&hwloc_topology_destroy)>;

// hwloc's complaints on stderr of a file or a machine that it finds odd are not for the user.
Topology empty_topology() {
  ::setenv("HWLOC_HIDE_ERRORS", "2", 0);
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw Unavailable("hwloc cannot start: hwloc_topology_init failed");
  Topology owner(topology, &hwloc_topology_destroy);
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  return owner;
}

int objects(hwloc_topology_t topology, hwloc_obj_type_t type) {
  return std::max(1, hwloc_get_nbobjs_by_type(topology, type));
}

// Reads the name of a processor's package, as x86 and Arm name them, or of the whole machine.
std::string processor_name(hwloc_topology_t topology) {
  for (const hwloc_obj_t object : {hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0), hwloc_get_root_obj(topology)})
    for (const char* key : {"CPUModel", "ProcessorModel"})
      if (const char* model = object == nullptr ? nullptr : hwloc_obj_get_info_by_name(object, key)) return model;
  return {};
}

HostMachine machine_in(hwloc_topology_t topology, const std::string& origin) {
  HostMachine host;
  host.origin = origin;
  host.processor = processor_name(topology);
  host.sockets = objects(topology, HWLOC_OBJ_PACKAGE);
  host.cores = objects(topology, HWLOC_OBJ_CORE);
  host.threads = objects(topology, HWLOC_OBJ_PU);
  host.memory = Bytes(static_cast<double>(hwloc_get_root_obj(topology)->total_memory));
  constexpr unsigned kNvidia = 0x10de, kDisplays = 0x03;  // PCI vendor, and the upper byte of the class
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_pcidev(topology, object)) != nullptr) {
    const auto& device = object->attr->pcidev;
    if (device.vendor_id == kNvidia && device.class_id >> 8 == kDisplays)
      host.gpus.push_back({fmt::format("{:#06x}", device.device_id), gigabytes_per_second(device.linkspeed)});
  }
  object = nullptr;
  while ((object = hwloc_get_next_osdev(topology, object)) != nullptr)
    if (object->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK && object->name != nullptr)
      host.nics.push_back({object->name, 0});
  return host;
}

// Throws InputError where it is no topology.
Topology topology_in(const std::string& text, const std::string& path) {
  Topology topology = empty_topology();
  // hwloc counts the final zero of the buffer.
  if (hwloc_topology_set_xmlbuffer(topology.get(), text.c_str(), static_cast<int>(text.size()) + 1) != 0 ||
      hwloc_topology_load(topology.get()) != 0)
    throw InputError(path, kNoTopology);
  return topology;
}

// hwloc 2.9 trusts what it reads: some broken files end its process, others keep it busy for minutes. A child of the
// same memory goes first.
void try_in_child(const std::string& text, const std::string& path) {
  const auto read = [&] {
    for (const int fault : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) ::signal(fault, SIG_DFL);
    if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
    machine_in(topology_in(text, path).get(), path);
    return std::string();
  };
  try {
    forked(read, {.process = "the reader", .time_limit = kPatience}).outcome.value();
  } catch (const ProcessCrashed&) {
    throw InputError(path, kNoTopology);
  }
}

std::string file_text(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

HostMachine this_machine() {
  const Topology topology = empty_topology();
  if (hwloc_topology_load(topology.get()) != 0) throw Unavailable("hwloc cannot read this machine");
  HostMachine host = machine_in(topology.get(), "this machine");
  // hwloc counts the memory of NUMA nodes, which it cannot read where /sys is not mounted.
  if (const long pages = sysconf(_SC_PHYS_PAGES); pages > 0)
    host.memory = Bytes(static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)));
  const std::string cpuinfo = file_text("/proc/cpuinfo");
  host.clock = clock_of(cpuinfo);
  host.fp32_per_cycle = fp32_per_cycle_of(cpuinfo);
  for (auto& nic : host.nics) {  // Mbit/s; -1 or no text of a link that is down or has no speed of its own
    std::ifstream in("/sys/class/net/" + nic.name + "/speed");
    if (double megabits = 0; in >> megabits && megabits > 0) nic.megabits = megabits;
  }
  return host;
}

HostMachine hwloc_machine(const std::string& path) {
  const std::string text = checked_xml(path, "topology", "a topology of hwloc (lstopo --of xml)");
  try_in_child(text, path);
  const Topology topology = topology_in(text, path);
  return machine_in(topology.get(), path);
}

#else
namespace {
constexpr const char* kMissing =
    "this mlsim was built without hwloc (libhwloc-dev), by which it would know the machine";
}

HostMachine this_machine() { throw Unavailable(kMissing); }
HostMachine hwloc_machine(const std::string&) { throw Unavailable(kMissing); }
#endif

}  // namespace mlsim::topologies
