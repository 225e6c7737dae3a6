// A `CollectivePrice` is what the collectives of a trace take on a system that is asked about.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/profile/collective.hpp"
#include "core/profile/profile.hpp"
#include "core/shared_list.hpp"
#include "core/units.hpp"
#include "replay/graph/graph_run.hpp"
#include "replay/namespace.hpp"
#include "sim/options/options.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::replay {

struct CollectivePrice {
  Seconds time;
  std::string algorithm;  // "nvlink-rings", "by NCCL's structure (nccl, 2 x 8 ranks)"
};

class CollectivePricer {
 public:
  /// Throws InputError and Infeasible where `topology` is none of `ranks`.
  CollectivePricer(const std::string& topology, int ranks, const Options& options, const SharedList<Profile>& profiles);

  const Cluster& cluster() const { return cluster_; }
  /// All groups of the collective's size run it side by side, as the parts of one job do. A group of all ranks, or of
  /// just a node's, takes what was measured of it or what NCCL's structure says of an all-reduce, else by closed form
  /// what the algorithm takes that NCCL would choose; off NCCL, and in other groups, the quickest one. The price is
  /// empty where the payload is not told, and for messages between two ranks.
  std::optional<CollectivePrice> price(const RecordedCollective& what, const RankGroups& groups);

 private:
  using Known = std::tuple<CollectiveKind, double, int>;  // kind, payload, ranks

  CollectivePrice whole(CollectiveKind kind, Bytes payload, int ranks) const;
  CollectivePrice in_groups(CollectiveKind kind, Bytes payload, std::vector<std::vector<int>> groups) const;

  std::string topology_;
  Options options_;
  SharedList<Profile> profiles_;
  Cluster cluster_;
  std::map<Known, CollectivePrice> known_;
};

}  // namespace mlsim::replay
