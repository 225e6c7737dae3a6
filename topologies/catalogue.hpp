// Names to machines: the grammar "torus128x32:accelerator=tpu-v3", the catalogue, and a user's own YAML file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topologies/cluster.hpp"

namespace mlsim {

/// A defect or change of a system, from --set: slow_link=A-B:factor, failed_link=A-B, slow_rank=R:factor.
struct Defects {
  struct SlowLink {
    std::string from, to;
    double factor = 1;
  };  // factor 0 = failed; both directions
  struct SlowRank {
    int rank = 0;
    double factor = 1;
  };
  std::vector<SlowLink> links;
  std::vector<SlowRank> ranks;
};

/// "x0y0-x1y0:0.5" (grid places) or "gpu0-gpu3:0.5" (ranks); throws InputError.
Defects::SlowLink parse_slow_link(std::string_view text);
/// "x0y0-x1y0"
Defects::SlowLink parse_failed_link(std::string_view text);
/// "17:0.9"
Defects::SlowRank parse_slow_rank(std::string_view text);

/// Builds the system called `name` (or described in the YAML file `name`), cut down to the smallest allocation that
/// holds `accelerators` (0 = all of it), with `defects` applied. Multi-node machines named without nodes= take as many
/// nodes as `accelerators` needs, one where it is 0.
/// Throws InputError (unknown word, bad number, bad file) and Infeasible (cannot hold that many).
Cluster build_cluster(const std::string& name, int accelerators = 0, const Defects& defects = {});

AcceleratorSpec load_accelerator(const std::string& name);  // throws InputError with the nearest name
std::vector<std::string> accelerator_names();

/// One line each for `mlsim list topologies`.
struct TopologyEntry {
  std::string name, accelerator, description;
  int accelerators = 0;  // of the plain name
};
std::vector<TopologyEntry> topology_entries();

}  // namespace mlsim
