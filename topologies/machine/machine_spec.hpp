// A `MachineSpec` is what a machine file says: a grid of chips, or a node that a network joins to others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topologies/cluster/cluster.hpp"

namespace mlsim::topologies {

struct LinkSpec {
  Sourced<BytesPerSecond> bandwidth;  // one direction
  Sourced<Seconds> latency;
};

struct GridSpec {
  Grid grid;                     // all of it; a slice that is shorter loses its wrap
  std::optional<LinkSpec> link;  // else the accelerator's own links
  int cube = 0;  // slices of whole cubes with this side are joined by switches, and wrap as the grid does; 0 = none
  int pod = 0;   // every so many places along X a new pod begins; 0 = one pod
  Sourced<Seconds> pod_latency;  // latency of the links between pods
  bool pod_wraps = true;         // a slice of exactly one pod along X has that pod's own wrap
};

struct NodeSpec {
  int accelerators = 1;
  Interconnect interconnect = Interconnect::pcie;
  struct NvlinkPair {
    int a = 0, b = 0;
    int links = 1;
  };
  std::vector<NvlinkPair> nvlink_pairs;  // Interconnect::nvlink_mesh
  int nvlinks = 0;                       // links of one accelerator to the switch (Interconnect::nvswitch)
  LinkSpec nvlink;                       // one NVLink
  int per_pcie_switch = 0;               // accelerators that share a PCIe switch; 0 = each hangs at the host itself
  LinkSpec pcie;                         // every link of the PCIe tree
  Sourced<BytesPerSecond> through_host;  // where the node denies its accelerators peer access over PCIe; else 0
  int nics = 0;  // 0: the node stands alone; dealt out evenly to the PCIe switches, or all at the host
  bool nics_at_host = true;
  LinkSpec nic;                 // one NIC to its switch
  NetworkSpec network;          // what libraries reach of the NICs, where it is known
  int nodes_per_leaf = 0;       // 0 = one non-blocking switch for all
  double oversubscription = 1;  // oversubscription of the uplinks of a leaf
  std::optional<HostSpec> host;
};

/// A `BillRule` says how one resource of the price list enters the bill.
struct BillRule {
  std::string resource;
  enum class Per { accelerator, node, system } per = Per::node;
  std::string region;                                  // whose price it is; empty: the home region of the resource
  int block = 1;                                       // accelerators are rented in multiples of this
  int at_least = 0, at_most = 0;                       // applies to systems of so many accelerators; 0 = no bound
  std::optional<UsdPerSecond> on_demand, preemptible;  // a price of the file's own, where `resource` is in no list
  std::optional<Source> source;                        // where the file says more than the price list
};

struct MachineSpec {
  std::string name;  // "dgx1-v100"
  std::string title;
  std::string grid_name;  // the grammar's word for a grid of the catalogue: "torus32x32"
  std::vector<std::string> aliases;
  AcceleratorSpec accelerator;
  std::optional<GridSpec> grid;
  std::optional<NodeSpec> node;  // exactly one of the two
  std::vector<BillRule> bill;
  std::vector<std::string> notes;
};

}  // namespace mlsim::topologies
