// The places of a built cluster have names: x3y0, gpu17, nvswitch0, node2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/cluster/cluster.hpp"

namespace mlsim::topologies {

/// A place is "x3y0" on a grid, "gpu17" for an accelerator elsewhere, else its kind with its number: "pcie0", "nic3",
/// "network".
std::string place_name(const Cluster& cluster, std::uint32_t vertex);

/// Finds the vertex of that name; on a grid "gpu3" and "rank3" stand for the rank too. Throws InputError.
std::uint32_t find_place(const Cluster& cluster, std::string_view name);

}  // namespace mlsim::topologies
