#include "sim/engine/simgrid_module.hpp"

#include <simgrid/s4u.hpp>

#include <simgrid/version.h>  // needs what simgrid/s4u.hpp defines

#include "sim/engine/simgrid/engines.hpp"

namespace mlsim::sim {
namespace {

std::string version() {
  int major = 0, minor = 0, patch = 0;
  sg_version_get(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor) + (patch > 0 ? "." + std::to_string(patch) : "");
}

}  // namespace

extern "C" const SimgridModule mlsim_simgrid{version, new_simgrid_network, simgrid_messages};

}  // namespace mlsim::sim
