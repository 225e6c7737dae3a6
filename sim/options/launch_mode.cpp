#include "sim/options/launch_mode.hpp"

namespace mlsim::sim {

const Words<LaunchMode>& words(LaunchMode) {
  static const Words<LaunchMode> table{"launch", {"eager", "compiled", "graphs"}};
  return table;
}

}  // namespace mlsim::sim
