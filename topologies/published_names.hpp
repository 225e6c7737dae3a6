// Names under which published tables know a system: "tpu-v3-32" is torus32x32:slice=4x4.
#pragma once

#include <string>
#include <vector>

#include "topologies/topology_name.hpp"

namespace mlsim::topologies {

struct PublishedName {
  std::string name;      // lower case, with dashes
  std::string topology;  // what it means, in the grammar of topology names
};

/// The names of topologies/catalogue/names.yaml, in the order of the file.
const std::vector<PublishedName>& published_names();

/// The name with its head replaced by what that means, its own options behind the head's; unchanged where the head is
/// no published name. Throws InputError where an option then stands twice.
TopologyName resolved_name(const TopologyName& name);

}  // namespace mlsim::topologies
