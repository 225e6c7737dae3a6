#include "calibrate/collectives/host_placement.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "core/text/errors.hpp"

namespace mlsim::calibrate {

int HostPlacement::ranks_per_node() const {
  const auto ranks_on = [&](int node) { return static_cast<int>(std::count(node_of.begin(), node_of.end(), node)); };
  const int of_first = ranks_on(0);
  for (int node = 1; node < nodes(); ++node) {
    if (ranks_on(node) != of_first) {
      throw InputError(fmt::format("every host needs as many ranks as the others; {} has {} and {} has {}", hosts[0],
                                   of_first, hosts[node], ranks_on(node)));
    }
  }
  return of_first;
}

std::vector<std::string> HostPlacement::hosts_by_rank() const {
  std::vector<std::string> by_rank;
  for (const int node : node_of) by_rank.push_back(hosts[node]);
  return by_rank;
}

std::string host_name() {
  char name[256] = {};  // HOST_NAME_MAX is 64
  ::gethostname(name, sizeof name - 1);
  return name;
}

HostPlacement placement_of(const std::vector<std::string>& host_names) {
  HostPlacement placement;
  for (const auto& host : host_names) {
    const auto found = std::find(placement.hosts.begin(), placement.hosts.end(), host);
    const int node = static_cast<int>(found - placement.hosts.begin());
    if (found == placement.hosts.end()) placement.hosts.push_back(host);
    placement.local_rank_of.push_back(
        static_cast<int>(std::count(placement.node_of.begin(), placement.node_of.end(), node)));
    placement.node_of.push_back(node);
  }
  return placement;
}

}  // namespace mlsim::calibrate
