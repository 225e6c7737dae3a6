#include "topologies/cluster/accelerator_family.hpp"

namespace mlsim::topologies {

const Words<AcceleratorFamily>& words(AcceleratorFamily) {
  static const Words<AcceleratorFamily> table{"family", {"tpu", "gpu", "cpu"}};
  return table;
}

}  // namespace mlsim::topologies
