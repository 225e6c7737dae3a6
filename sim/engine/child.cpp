#include "sim/engine/child.hpp"

#include "core/process/forked.hpp"

namespace mlsim::sim {

std::string in_child(const std::function<std::string()>& work) {
  return forked(work, {.process = "the simulation's process", .time_limit = {}}).outcome.value();
}

}  // namespace mlsim::sim
