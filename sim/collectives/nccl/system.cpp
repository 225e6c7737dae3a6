#include "sim/collectives/nccl/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "core/text/errors.hpp"
#include "costs/nccl_tuner_table.hpp"
#include "sim/collectives/nvlink_cycles.hpp"
#include "sim/collectives/rank_layout.hpp"
#include "topologies/cluster/cluster_graph.hpp"
#include "topologies/cluster/route.hpp"
#include "topologies/construction/build_cluster.hpp"

namespace mlsim::sim {
namespace {

struct FamilyGeneration {
  std::string_view prefix;  // of an accelerator's name in the catalogue
  GpuGeneration generation;
};

// NVIDIA's compute capabilities give the generations: 3.x and 5.x K80, M60; 6.x Pascal; 7.0 V100, 7.5 Turing; 8.x
// Ampere and Ada; 9.0 Hopper; 10 and 12 Blackwell.
constexpr std::array<FamilyGeneration, 25> kFamilies{{
    {"k80", GpuGeneration::before_volta},  {"m60", GpuGeneration::before_volta},
    {"p100", GpuGeneration::before_volta}, {"p40", GpuGeneration::before_volta},
    {"p4", GpuGeneration::before_volta},   {"gtx-1080", GpuGeneration::before_volta},
    {"v100", GpuGeneration::volta},        {"t4", GpuGeneration::volta},
    {"titan-rtx", GpuGeneration::volta},   {"quadro-rtx", GpuGeneration::volta},
    {"rtx-20", GpuGeneration::volta},      {"a100", GpuGeneration::ampere},
    {"a10g", GpuGeneration::ampere},       {"a30", GpuGeneration::ampere},
    {"a40", GpuGeneration::ampere},        {"rtx-30", GpuGeneration::ampere},
    {"rtx-a", GpuGeneration::ampere},      {"l40", GpuGeneration::ampere},
    {"l4", GpuGeneration::ampere},         {"rtx-40", GpuGeneration::ampere},
    {"h100", GpuGeneration::hopper},       {"h200", GpuGeneration::hopper},
    {"b200", GpuGeneration::blackwell},    {"gb200", GpuGeneration::blackwell},
    {"rtx-50", GpuGeneration::blackwell},
}};

struct Site {
  std::string_view prefix;  // of a machine's name in the catalogue
  NodeNetwork network;
  bool amd_host;
};

// This table lists networks that are not InfiniBand, and hosts that are not Intel's, from the providers' instance pages
// and NVIDIA's system guides, recalled. The first prefix that fits counts.
constexpr std::array<Site, 25> kSites{{
    {"p3dn", NodeNetwork::efa_2019, false},
    {"p4d", NodeNetwork::efa, false},
    {"p5", NodeNetwork::efa, true},
    {"a3-megagpu", NodeNetwork::tcpxo, false},
    {"a3-ultragpu", NodeNetwork::roce, false},
    {"a2-highgpu", NodeNetwork::sockets, false},
    {"oci-bm.gpu4", NodeNetwork::roce, true},
    {"oci-bm.gpu.h100", NodeNetwork::roce, false},
    {"horovod-25gbe", NodeNetwork::roce, false},
    {"tencent", NodeNetwork::roce, false},
    {"big-basin", NodeNetwork::roce, false},
    {"alibaba", NodeNetwork::sockets, false},
    {"gce-", NodeNetwork::sockets, false},
    {"gke-", NodeNetwork::sockets, false},
    {"n1-", NodeNetwork::sockets, false},
    {"ec2-", NodeNetwork::sockets, false},
    {"p2.", NodeNetwork::sockets, false},
    {"p3.", NodeNetwork::sockets, false},
    {"g3.", NodeNetwork::sockets, false},
    {"g5.", NodeNetwork::sockets, true},
    {"lambda", NodeNetwork::sockets, false},
    {"paperspace", NodeNetwork::sockets, false},
    {"dgx-a100", NodeNetwork::infiniband, true},
    {"hgx-a100", NodeNetwork::infiniband, true},
    {"azure-nd96amsr-a100", NodeNetwork::infiniband, true},
}};

// Returns null where nothing is recorded: InfiniBand and Intel's hosts.
const Site* site_of(const Cluster& cluster) {
  const auto site =
      std::find_if(kSites.begin(), kSites.end(), [&](const Site& s) { return cluster.machine.starts_with(s.prefix); });
  return site == kSites.end() ? nullptr : &*site;
}

constexpr double kUplinkShare = 12 / 15.75;  // NCCL counts so much of a PCIe 3.0 x16 (src/graph/topo.h, PCI_BW)

GpuGeneration generation_of(const AcceleratorSpec& accelerator) {
  const auto found = std::find_if(kFamilies.begin(), kFamilies.end(), [&](const FamilyGeneration& family) {
    return accelerator.name.starts_with(family.prefix);
  });
  if (accelerator.family == AcceleratorFamily::gpu && found != kFamilies.end()) return found->generation;
  if (accelerator.family == AcceleratorFamily::gpu)
    throw Infeasible(
        fmt::format("{} is no GPU whose collectives NCCL's tuner chooses (AMD's RCCL has constants of "
                    "its own)",
                    accelerator.name));
  throw Infeasible(fmt::format("NCCL runs on NVIDIA's GPUs, not on {}", accelerator.name));
}

// Says whether a NIC of the first node hangs at a PCIe switch.
bool nic_at_switch(const Cluster& cluster) {
  for (std::uint32_t v = 0; v < boost::num_vertices(cluster.graph); ++v) {
    if (cluster.graph[v].kind != VertexKind::nic || cluster.graph[v].node != 0) continue;
    const LinkRange range = links_from(cluster.graph, v);
    for (LinkIndex i = range.first; i < range.last; ++i) {
      if (cluster.graph[link_target(cluster.graph, i)].kind == VertexKind::pcie_switch) return true;
    }
  }
  return false;
}

// Counts the most of a node's ranks that hang at one PCIe switch; 1 where there is none.
int ranks_at_switch(const Cluster& cluster, const std::vector<int>& ranks) {
  std::map<std::uint32_t, int> at;
  int most = 1;
  for (const int rank : ranks) {
    const LinkRange range = links_from(cluster.graph, cluster.rank_vertex[rank]);
    for (LinkIndex i = range.first; i < range.last; ++i) {
      const std::uint32_t target = link_target(cluster.graph, i);
      if (cluster.graph[target].kind == VertexKind::pcie_switch) most = std::max(most, ++at[target]);
    }
  }
  return most;
}

// A switch gives a channel for each NVLink, up to the search's most; a mesh one for each ring.
int channels_of(const Cluster& cluster, const NcclSystem& system) {
  if (cluster.interconnect == Interconnect::nvlink_mesh)
    return static_cast<int>(nvlink_cycles(cluster, ranks_by_node(cluster).front()).size());
  if (cluster.interconnect != Interconnect::nvswitch) return 1;
  const double links = system.inside / nccl_tuner_table().link_rate[static_cast<std::size_t>(system.generation)];
  return std::clamp(static_cast<int>(std::lround(links)), 1, nccl_tuner_table().most_channels);
}

NcclSystem system_of(const Cluster& cluster) {
  try {
    return nccl_system(cluster);
  } catch (const Infeasible& e) {
    throw InputError(e.what());
  }
}

}  // namespace

BytesPerSecond through_host_rate(const Cluster& cluster) {
  const BytesPerSecond alone = cluster.through_host.value;
  if (alone.value <= 0 || cluster.interconnect != Interconnect::pcie) return alone;
  const double sharing = ranks_at_switch(cluster, ranks_by_node(cluster).front());
  return min(alone, line_rate(cluster, LinkKind::pcie) * (kUplinkShare / sharing));
}

Seconds network_request(const Cluster& cluster) {
  const Site* site = site_of(cluster);
  return microseconds(site != nullptr && site->amd_host ? 2 : 1);
}

NcclSystem nccl_system(const Cluster& cluster) {
  NcclSystem system;
  system.generation = generation_of(cluster.accelerator);
  const auto nodes = ranks_by_node(cluster);
  const bool equal =
      std::all_of(nodes.begin(), nodes.end(), [&](const auto& n) { return n.size() == nodes[0].size(); });
  if (cluster.grid || !equal)
    throw Infeasible("NCCL's tuner is described here for nodes with equally many accelerators");
  system.nodes = static_cast<int>(nodes.size());
  system.ranks_per_node = static_cast<int>(nodes.front().size());
  system.inside = cluster.injection;
  system.nvswitch = cluster.interconnect == Interconnect::nvswitch;
  system.channels = channels_of(cluster, system);
  system.nvlink = cluster.interconnect != Interconnect::pcie && system.channels > 0;
  system.channels = std::max(1, system.channels);
  if (!system.nvlink) {
    system.inside = line_rate(cluster, LinkKind::pcie);
    system.through_host = through_host_rate(cluster);
  }
  system.network = cluster.node_network;
  if (system.nodes > 1) system.wire = route(cluster, nodes.front().front(), nodes.back().front()).latency;
  system.nic_near_gpu = nic_at_switch(cluster);
  if (const Site* site = site_of(cluster)) {
    system.network_kind = site->network;
    system.amd_host = site->amd_host;
  }
  return system;
}

std::optional<NcclSystem> described_nccl_system(const Cluster& cluster) {
  try {
    return nccl_system(cluster);
  } catch (const Infeasible&) {
    return {};
  }
}

NcclTarget nccl_target(const std::string& topology) {
  const Cluster cluster = build_cluster(topology);
  const NcclTarget found{cluster.name.substr(0, cluster.name.find(':')), cluster.machine, system_of(cluster),
                         cluster.accelerator.name};
  if (found.system.ranks() < 2) throw InputError(cluster.name + " is one accelerator, which exchanges nothing");
  return found;
}

}  // namespace mlsim::sim
