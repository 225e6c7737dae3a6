// build_cluster() makes a machine of a name: the grammar "torus128x32:accelerator=tpu-v3", the catalogue, and a user's
// own YAML file.
#pragma once

#include <string>
#include <vector>

#include "topologies/cluster/cluster.hpp"
#include "topologies/cluster/defects.hpp"

namespace mlsim::topologies {

/// The grammar is a word (torusXxY, torusXxYxZ, mesh likewise, a machine, alias or published name of the catalogue) or
/// the path of a YAML file (with a "/" or ending in .yaml or .yml), then options key=value after a colon, more of them
/// after colons or commas.
///   all:    accelerator=NAME, link_bandwidth=RATE and link_latency=TIME of one ICI link, NVLink or (without NVLink)
///           PCIe link, one direction
///   grids:  wrap=xy|x|y|none of the whole grid, slice=XxY; XxYxZ in three dimensions
///   nodes:  nodes=N, per_node=N, network_bandwidth=RATE of one node, network_latency=TIME from NIC to NIC,
///           oversubscription=F of the uplinks of leaf switches, nodes_per_leaf=N
/// A grid has at most 1 000 000 places with sides of at most 100 000, nodes hold at most 100 000 accelerators.
///
/// Builds the system called `name` (or described in the YAML file `name`), cut down to the smallest allocation that
/// holds `accelerators` (0 = all of it), with `defects` applied. Multi-node machines named without nodes= take as many
/// nodes as `accelerators` needs, one where it is 0; an accelerator's name ("h200") is then one of it.
/// Throws InputError (unknown word, bad number, bad file) and Infeasible (cannot hold that many).
Cluster build_cluster(const std::string& name, int accelerators = 0, const Defects& defects = {});

/// Names the accelerators of build_cluster(name), without building it. Throws InputError likewise.
std::string accelerator_of(const std::string& name);

/// An entry is one line of `mlsim list topologies`.
struct TopologyEntry {
  std::string name, accelerator, description;
  int accelerators = 0;    // of the plain name
  bool of_its_own = true;  // false: another name or a size of a system, or a shape of any size
};
std::vector<TopologyEntry> topology_entries();

}  // namespace mlsim::topologies
