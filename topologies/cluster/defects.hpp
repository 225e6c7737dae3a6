// `Defects` are slow and failed links and slow ranks, applied to a built cluster.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topologies/cluster/cluster.hpp"

namespace mlsim::topologies {

/// A defect or change of a system comes from --set: slow_link=A-B:factor, failed_link=A-B, slow_rank=R:factor,
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

/// Parses "x0y0-x1y0:0.5" (grid places), "gpu0-gpu3:0.5" (ranks), "nic2-network:0.5", "pcie0-host0:0.5" or, for all
/// NICs of a node, "node1-network:0.5"; the factor is 0 (failed) to 1. Throws InputError.
Defects::SlowLink parse_slow_link(std::string_view text);
/// Parses "x0y0-x1y0".
Defects::SlowLink parse_failed_link(std::string_view text);
/// Parses "17:0.9".
Defects::SlowRank parse_slow_rank(std::string_view text);
/// Parses "3:0.8".
Defects::SlowHost parse_slow_host(std::string_view text);

/// Throws InputError on a link or rank that is not there, naming the ones that are, and on what is named twice.
void apply_defects(Cluster& cluster, const Defects& defects);

}  // namespace mlsim::topologies
