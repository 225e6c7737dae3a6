// Names to machines: the grammar "torus128x32:accelerator=tpu-v3", the catalogue, and a user's own YAML file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/cluster.hpp"

namespace mlsim::topologies {

/// A defect or change of a system, from --set: slow_link=A-B:factor, failed_link=A-B, slow_rank=R:factor,
/// slow_host=H:factor.
struct Defects {
  struct SlowLink {
    std::string from, to;
    double factor = 1;
    bool operator==(const SlowLink&) const = default;
  };  // factor 0 = failed; both directions
  struct SlowRank {
    int rank = 0;
    double factor = 1;
    bool operator==(const SlowRank&) const = default;
  };
  std::vector<SlowLink> links;
  struct SlowHost {
    int host = 0;
    double factor = 1;
    bool operator==(const SlowHost&) const = default;
  };  // all of its ranks (rank_hosts.hpp)
  std::vector<SlowRank> ranks;
  std::vector<SlowHost> hosts;
};

/// "x0y0-x1y0:0.5" (grid places), "gpu0-gpu3:0.5" (ranks), "nic2-network:0.5", "pcie0-host0:0.5" or, for all NICs of
/// a node, "node1-network:0.5"; the factor is 0 (failed) to 1. Throws InputError.
Defects::SlowLink parse_slow_link(std::string_view text);
/// "x0y0-x1y0"
Defects::SlowLink parse_failed_link(std::string_view text);
/// "17:0.9"
Defects::SlowRank parse_slow_rank(std::string_view text);
/// "3:0.8"
Defects::SlowHost parse_slow_host(std::string_view text);

/// Grammar: a word (torusXxY, meshXxY, a machine, alias or published name of the catalogue) or the path of a YAML file
/// (with a "/" or ending in .yaml or .yml), then options key=value after a colon, more of them after colons or commas.
///   all:    accelerator=NAME, link_bandwidth=RATE and link_latency=TIME of one ICI link, NVLink or (without NVLink)
///           PCIe link, one direction
///   grids:  wrap=xy|x|y|none of the whole grid, slice=XxY
///   nodes:  nodes=N, per_node=N, network_bandwidth=RATE of one node, network_latency=TIME from NIC to NIC,
///           oversubscription=F of the uplinks of leaf switches, nodes_per_leaf=N
/// A grid has at most 1 000 000 places with sides of at most 100 000, nodes hold at most 100 000 accelerators.
///
/// Builds the system called `name` (or described in the YAML file `name`), cut down to the smallest allocation that
/// holds `accelerators` (0 = all of it), with `defects` applied. Multi-node machines named without nodes= take as many
/// nodes as `accelerators` needs, one where it is 0.
/// Throws InputError (unknown word, bad number, bad file) and Infeasible (cannot hold that many).
Cluster build_cluster(const std::string& name, int accelerators = 0, const Defects& defects = {});

/// The name of the accelerators of build_cluster(name), without building it. Throws InputError likewise.
std::string accelerator_of(const std::string& name);

AcceleratorSpec load_accelerator(const std::string& name);  // throws InputError with the nearest name
/// Empty for one that the catalogue does not hold, as those that a machine file of one's own describes.
std::optional<AcceleratorSpec> find_accelerator(const std::string& name);
std::vector<std::string> accelerator_names();

/// One line each for `mlsim list topologies`.
struct TopologyEntry {
  std::string name, accelerator, description;
  int accelerators = 0;  // of the plain name
};
std::vector<TopologyEntry> topology_entries();

}  // namespace mlsim::topologies
