// A `ServerCount` says how many parameter servers there are, and whether they stand on the nodes' hosts or apart.
#pragma once

#include <string>
#include <string_view>

#include "sim/namespace.hpp"

namespace mlsim::sim {

struct ServerCount {
  bool apart = false;  // on hosts of their own
  int count = 0;       // 0: as many as nodes
  bool operator==(const ServerCount&) const = default;
};

/// Takes "colocated" (one on the host of each node), "colocated:6" (on six of them) or "4" (on four hosts of their
/// own). Throws InputError without a place.
ServerCount parse_server_count(std::string_view text);
std::string text(const ServerCount& servers);  // as parse_server_count reads it

}  // namespace mlsim::sim
