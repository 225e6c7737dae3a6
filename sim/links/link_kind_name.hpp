// link_kind_name() says what people call the kinds of links.
#pragma once

#include <string_view>

#include "sim/namespace.hpp"
#include "topologies/cluster/cluster.hpp"

namespace mlsim::sim {

/// The name is "ICI", "NVLink", "PCIe", "NIC" or "network".
std::string_view link_kind_name(LinkKind kind);

}  // namespace mlsim::sim
