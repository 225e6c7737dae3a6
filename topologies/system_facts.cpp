#include "topologies/system_facts.hpp"

#include <array>
#include <utility>

#include "core/text/errors.hpp"
#include "topologies/machine/machine_file.hpp"

namespace mlsim::topologies {
namespace {

// The titles of machines that a cloud rents out begin so.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kRenters{{{"AWS ", "aws"},
                                                                                  {"Alibaba ", "alibaba"},
                                                                                  {"Azure ", "azure"},
                                                                                  {"Baidu Cloud", "baidu"},
                                                                                  {"GCE ", "gcp"},
                                                                                  {"GKE ", "gcp"},
                                                                                  {"TPU ", "gcp"},
                                                                                  {"Lambda ", "lambda"},
                                                                                  {"OCI ", "oci"},
                                                                                  {"Paperspace", "paperspace"},
                                                                                  {"Tencent ", "tencent"}}};

std::string cloud_of(const std::string& title) {
  for (const auto& [begin, cloud] : kRenters)
    if (title.starts_with(begin)) return std::string(cloud);
  return {};
}

std::optional<SystemPrice> newest_price(const Cluster& cluster) {
  try {
    return system_price(cluster, {});
  } catch (const InputError&) {
    return std::nullopt;  // its parts were never priced at one time
  }
}

}  // namespace

std::vector<std::string> cloud_names() {
  std::vector<std::string> names;
  for (const auto& [begin, cloud] : kRenters)
    if (names.empty() || names.back() != cloud) names.emplace_back(cloud);
  return names;
}

SystemFacts system_facts(const std::string& name) {
  const Cluster cluster = build_cluster(name);
  SystemFacts facts;
  facts.name = name;
  facts.accelerator = cluster.accelerator;
  facts.accelerators = cluster.ranks();
  facts.nodes = cluster.nodes;
  facts.slices = cluster.slices;
  facts.interconnect = cluster.interconnect;
  facts.inside = cluster.injection;
  facts.host = cluster.host;
  facts.price = newest_price(cluster);
  facts.network = cluster.node_network;
  if (const MachineSpec* machine = catalogue_machine(cluster.machine)) {
    facts.description = machine->title;
    facts.cloud = cloud_of(machine->title);
    // One node alone has no network, but its machine has.
    if (machine->node && !(facts.network.value > 0))
      facts.network = machine->node->nics * machine->node->nic.bandwidth.value;
  }
  return facts;
}

std::vector<SystemFacts> all_system_facts() {
  std::vector<SystemFacts> all;
  for (const TopologyEntry& entry : topology_entries()) {
    all.push_back(system_facts(entry.name));
    all.back().description = entry.description;
  }
  return all;
}

}  // namespace mlsim::topologies
