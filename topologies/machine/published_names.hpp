// A published name is one under which people and published tables know a system: "tpu-v3-32" is torus32x32:slice=4x4,
// "16xH100" is dgx-h100:nodes=2.
#pragma once

#include <string>
#include <vector>

#include "topologies/machine/topology_name.hpp"

namespace mlsim::topologies {

struct PublishedName {
  std::string name;      // lower case, with dashes
  std::string topology;  // what it means, in the grammar of topology names
  std::string key;       // name_key() of the name
};

/// Lists the names of topologies/catalogue/names.yaml, in the order of the file.
const std::vector<PublishedName>& published_names();

/// Replaces the name's head by what that means, its own options behind the head's: a published name, a slice without
/// its "tpu-", a number of accelerators, or a machine whose name differs in case, dashes and underscores only. The name
/// stays where it is none of these. Throws InputError where an option then stands twice, or accelerators fill no nodes.
TopologyName resolved_name(const TopologyName& name);

}  // namespace mlsim::topologies
