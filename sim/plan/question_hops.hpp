// `QuestionHops` are the mesh tables of a question: one for each cluster that it is asked on and each efficiency of links.
#pragma once

#include <memory>
#include <vector>

#include "sim/links/link_efficiency.hpp"
#include "sim/mesh/mesh_planner.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

class QuestionHops {
 public:
  /// Gives the table of a cluster, made where there is none yet. Copies of a `QuestionHops` share those of before.
  MeshTable& on(const std::shared_ptr<const Cluster>& cluster, const LinkEfficiency& efficiency);

 private:
  struct Table {
    std::shared_ptr<const Cluster> cluster;  // outlives its table
    LinkEfficiency efficiency;
    std::shared_ptr<MeshTable> meshes;
  };
  std::vector<Table> tables_;
};

}  // namespace mlsim::sim
