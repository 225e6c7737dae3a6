// `QuestionHops` are the hop tables of a question: one for each cluster that it is asked on and each efficiency of links.
#pragma once

#include <memory>
#include <vector>

#include "sim/collectives/hop_table.hpp"
#include "sim/links/link_efficiency.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

class QuestionHops {
 public:
  /// Gives the table of a cluster, made where there is none yet. Copies of a `QuestionHops` share those of before.
  HopTable& on(const std::shared_ptr<const Cluster>& cluster, const LinkEfficiency& efficiency);

 private:
  struct Table {
    std::shared_ptr<const Cluster> cluster;  // outlives its hops
    LinkEfficiency efficiency;
    std::shared_ptr<HopTable> hops;
  };
  std::vector<Table> tables_;
};

}  // namespace mlsim::sim
