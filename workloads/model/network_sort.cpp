#include "workloads/model/network_sort.hpp"

namespace mlsim::workloads {

const Words<NetworkSort>& words(NetworkSort) {
  static const Words<NetworkSort> table{"sort",
                                        {"image", "detection", "speech", "transformer", "recurrent", "recommender"}};
  return table;
}

}  // namespace mlsim::workloads
