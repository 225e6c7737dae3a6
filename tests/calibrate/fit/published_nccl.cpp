#include "published_nccl.hpp"

#include <algorithm>
#include <stdexcept>

#include "published_sweeps.hpp"
#include "tests/namespace.hpp"

namespace mlsim::test {
namespace {

template <class T>
T parse(const std::string& word, const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) throw std::runtime_error("unknown " + word);
  return static_cast<T>(found - words.begin());
}

NcclSystem system_of(const Row& row) {
  NcclSystem system;
  system.nodes = std::stoi(row.at("nodes"));
  system.ranks_per_node = std::stoi(row.at("ranks_per_node"));
  system.generation =
      parse<GpuGeneration>(row.at("generation"), {"before_volta", "volta", "ampere", "hopper", "blackwell"});
  system.nvlink = row.at("nvlink") == "1";
  system.nvswitch = row.at("nvswitch") == "1";
  system.inside = gigabytes_per_second(std::stod(row.at("inside_gb_per_s")));
  system.channels = std::stoi(row.at("channels"));
  system.network = gigabytes_per_second(std::stod(row.at("network_gb_per_s")));
  system.network_kind =
      parse<NodeNetwork>(row.at("network"), {"infiniband", "roce", "efa", "efa_2019", "tcpxo", "sockets"});
  return system;
}

}  // namespace

std::vector<NcclSweep> nccl_systems(const std::vector<std::string>& uses) {
  std::vector<NcclSweep> sweeps;
  for (const std::string& use : uses) {
    for (const CollectiveSweep& measured : nccl_sweeps(use)) {
      const auto table = published_table("nccl_systems.csv");
      const auto row =
          std::find_if(table.begin(), table.end(), [&](const Row& r) { return r.at("sweep") == measured.machine; });
      NcclSweep& sweep = sweeps.emplace_back(NcclSweep{measured.machine, system_of(*row), {}, times_of(measured)});
      if (row->at("algorithm") == "ring") sweep.filter.algorithms = {NcclAlgorithm::ring};
    }
  }
  return sweeps;
}

}  // namespace mlsim::test
