// hardware_environment() asks hwloc, or reads /proc where this build has none.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "calibrate/environment.hpp"
#include "core/text/units_text.hpp"

#ifdef MLSIM_WITH_HWLOC
#include <hwloc.h>

#include <memory>
#include <type_traits>
#endif

namespace mlsim::calibrate {

#ifdef MLSIM_WITH_HWLOC
namespace {

using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, decltype(&hwloc_topology_destroy)>;

Topology loaded_topology() {
  ::setenv("HWLOC_HIDE_ERRORS", "2", 0);  // what hwloc finds odd in a machine is not for the user
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return {nullptr, &hwloc_topology_destroy};
  Topology owner(topology, &hwloc_topology_destroy);
  if (hwloc_topology_load(topology) != 0) owner.reset();
  return owner;
}

std::string caches(hwloc_topology_t topology) {
  static constexpr std::pair<const char*, hwloc_obj_type_t> kLevels[] = {
      {"L1d", HWLOC_OBJ_L1CACHE}, {"L2", HWLOC_OBJ_L2CACHE}, {"L3", HWLOC_OBJ_L3CACHE}};
  std::string text;
  for (const auto& [name, type] : kLevels) {
    const int count = hwloc_get_nbobjs_by_type(topology, type);
    if (count <= 0) continue;
    const Bytes size(static_cast<double>(hwloc_get_obj_by_type(topology, type, 0)->attr->cache.size));
    text += fmt::format("{}{} x {} {}", text.empty() ? "" : ", ", count, name, to_text(size));
  }
  return text;
}

}  // namespace

Environment hardware_environment() {
  Environment environment;
  const Topology topology = loaded_topology();
  if (!topology) return environment;
  const auto count = [&](const char* key, hwloc_obj_type_t type) {
    const int objects = hwloc_get_nbobjs_by_type(topology.get(), type);
    if (objects > 0) environment[key] = std::to_string(objects);
  };
  count("sockets", HWLOC_OBJ_PACKAGE);
  count("cores", HWLOC_OBJ_CORE);
  count("threads", HWLOC_OBJ_PU);
  if (const auto text = caches(topology.get()); !text.empty()) environment["caches"] = text;
  // hwloc counts the memory of NUMA nodes, which it cannot read where /sys is not mounted.
  if (const long pages = sysconf(_SC_PHYS_PAGES); pages > 0)
    environment["memory"] = to_text(Bytes(static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE))));
  const unsigned version = hwloc_get_api_version();
  environment["hwloc"] = fmt::format("{}.{}.{}", version >> 16, (version >> 8) & 0xffu, version & 0xffu);
  return environment;
}

#else
namespace {

// A line reads "key : value"; the value has no spaces around it.
std::pair<std::string, std::string> entry_of(const std::string& line) {
  const auto colon = line.find(':');
  if (colon == std::string::npos) return {};
  const auto begin = line.find_first_not_of(' ', colon + 1);
  return {line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1),
          begin == std::string::npos ? std::string() : line.substr(begin)};
}

}  // namespace

Environment hardware_environment() {
  Environment environment;
  std::set<std::string> sockets, cores;
  int threads = 0;
  std::string socket, line;
  for (std::ifstream in("/proc/cpuinfo"); std::getline(in, line);) {
    const auto [key, value] = entry_of(line);
    if (key == "processor") ++threads;
    if (key == "physical id") sockets.insert(socket = value);
    if (key == "core id") cores.insert(socket + ":" + value);
    if (key == "cache size") environment["caches"] = "last level " + value;
  }
  if (threads > 0) environment["threads"] = std::to_string(threads);
  if (!sockets.empty()) environment["sockets"] = std::to_string(sockets.size());
  if (!cores.empty()) environment["cores"] = std::to_string(cores.size());
  for (std::ifstream in("/proc/meminfo"); std::getline(in, line);) {
    const auto [key, value] = entry_of(line);
    if (key == "MemTotal") environment["memory"] = to_text(Bytes(1024 * std::strtod(value.c_str(), nullptr)));
  }
  return environment;
}
#endif

}  // namespace mlsim::calibrate
