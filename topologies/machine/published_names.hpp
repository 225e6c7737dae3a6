// Published names are those under which people and tables know a system: "tpu-v3-32", "16xH100", "h200", "ND96isr_H100_v5".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topologies/machine/topology_name.hpp"

namespace mlsim::topologies {

/// A published name is one under which people and published tables know a system: "tpu-v3-32" is torus32x32:slice=4x4,
/// "16xH100" is dgx-h100:nodes=2.
struct PublishedName {
  std::string name;      // lower case, with dashes
  std::string topology;  // what it means, in the grammar of topology names
  std::string key;       // name_key() of the name
};

/// Lists the names of topologies/catalogue/names.yaml, in the order of the file.
const std::vector<PublishedName>& published_names();

/// Lists what accelerators are called there, each with the machine that it mostly stands in.
const std::vector<PublishedName>& accelerator_names_of_boxes();

/// Replaces the name's head by what that means, its own options behind the head's: a published name, a slice without
/// its "tpu-", a number of accelerators, slices or machines ("64xH100", "64 H100", "dgx-h100x8"), a machine whose name
/// differs in case, dashes and underscores only, or an accelerator spelled with maker, board and memory. The name stays
/// where it is none of these. Throws InputError where an option then stands twice, or accelerators fill no nodes.
TopologyName resolved_name(const TopologyName& name);

/// Gives the machine in whose nodes the accelerator of this name mostly stands: hgx-h200 of "h200". Empty for other names.
std::optional<TopologyName> machine_of_accelerator(const TopologyName& name);

}  // namespace mlsim::topologies
