#include "sim/engine/flow_network.hpp"

#include "sim/engine/max_min_flow_network.hpp"

namespace mlsim::sim {

std::unique_ptr<FlowNetwork> make_flow_network(Engine engine) {
  return engine == Engine::simgrid ? make_simgrid_flow_network() : make_max_min_flow_network();
}

}  // namespace mlsim::sim
