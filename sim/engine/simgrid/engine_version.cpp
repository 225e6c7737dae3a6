#include "sim/engine/engine_version.hpp"

#include <simgrid/s4u.hpp>

#include <simgrid/version.h>  // needs what simgrid/s4u.hpp defines

namespace mlsim::sim {

bool has_simgrid() { return true; }

std::string engine_version() {
  int major = 0, minor = 0, patch = 0;
  sg_version_get(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor) + (patch > 0 ? "." + std::to_string(patch) : "");
}

}  // namespace mlsim::sim
