#include "sim/engine/fidelity.hpp"

#include "sim/engine/simgrid_module.hpp"

namespace mlsim::sim {

Engine usual_engine(std::uint64_t flows_at_once, bool one_of_many) {
  constexpr std::uint64_t kMostForSimgrid = 2048;
  return one_of_many || flows_at_once > kMostForSimgrid || !has_simgrid() ? Engine::max_min : Engine::simgrid;
}

}  // namespace mlsim::sim
