#include "workloads/lowering/state_sharding.hpp"

namespace mlsim::workloads {

const Words<StateSharding>& words(StateSharding) {
  static const Words<StateSharding> table{"sharding",
                                          {"none", "optimizer", "gradients", "parameters"},
                                          {{"zero1", StateSharding::optimizer},
                                           {"zero2", StateSharding::gradients},
                                           {"zero3", StateSharding::parameters},
                                           {"fsdp", StateSharding::parameters}}};
  return table;
}

}  // namespace mlsim::workloads
