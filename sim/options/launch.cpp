#include "sim/options/launch.hpp"

namespace mlsim::sim {

const Words<Launch>& words(Launch) {
  static const Words<Launch> table{"launch", {"eager", "compiled", "graphs"}};
  return table;
}

}  // namespace mlsim::sim
