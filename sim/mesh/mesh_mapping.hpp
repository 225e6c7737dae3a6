// A mapping says how the axes of a parallelism lie on the dimensions of a machine: all usual ways, and the one that a
// question names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/mesh/device_mesh.hpp"
#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"
#include "workloads/lowering/parallelism.hpp"

namespace mlsim::sim {

/// Lists a cluster's dimensions without axes on them: X, Y, ... of a grid; accelerators of a node and nodes; or "ranks"
/// where nodes are unequal.
std::vector<MeshDimension> physical_dimensions(const Cluster& cluster);

/// Lists ways to lay the axes on the dimensions in which they follow one another from the inside out in one order, at
/// most `most`, the usual one first: tensor, spatial, normalization, embedding, expert, pipeline, data (the more an
/// axis says, the nearer its ranks). An axis takes of a dimension what divides both, and what is left of it lies on the
/// next one. On a grid the inner axes lie on X or on the last dimension. Throws Infeasible where the parallelism does
/// not cover the cluster's ranks.
std::vector<DeviceMesh> possible_meshes(const Cluster& cluster, const Parallelism& parallelism, std::size_t most = 24);

/// Parses "spatial:x,data:x,data:y" or "tensor:node,data:network": axes from the inside out with the dimension of each;
/// an axis that comes again takes of the first dimension what divides both. Throws InputError for unknown words and an
/// axis that is missing or too often there, and Infeasible where they do not divide, with the mapping nearest to it
/// that does.
DeviceMesh parse_mesh(const Cluster& cluster, const Parallelism& parallelism, const std::string& text);

}  // namespace mlsim::sim
