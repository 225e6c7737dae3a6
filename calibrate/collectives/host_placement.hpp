// A `HostPlacement` says which rank runs on which host.
#pragma once

#include <string>
#include <vector>

#include "calibrate/namespace.hpp"

namespace mlsim::calibrate {

struct HostPlacement {
  std::vector<std::string> hosts;  // in order of their first rank
  std::vector<int> node_of;        // by rank: index into hosts
  std::vector<int> local_rank_of;  // by rank: how many of its host's ranks come before it

  int nodes() const { return static_cast<int>(hosts.size()); }
  /// Throws InputError, naming two hosts, where they have different numbers: a profile counts nodes times ranks.
  int ranks_per_node() const;
  std::vector<std::string> hosts_by_rank() const;
};

/// The name is this process's own, as placement_of() takes it.
std::string host_name();

/// `host_names` stand by rank, at least one.
HostPlacement placement_of(const std::vector<std::string>& host_names);

}  // namespace mlsim::calibrate
