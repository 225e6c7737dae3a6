#include "calibrate/collectives/communicator.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {

std::unique_ptr<Communicator> gloo_communicator(World&, const HostPlacement&) {
  throw Unavailable("this build has no Gloo; install libgloo-dev and build again");
}

std::string gloo_version() { return {}; }

}  // namespace mlsim::calibrate
