#include "calibrate/collectives/communicator.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {

std::unique_ptr<Communicator> nccl_communicator(World&, const HostPlacement&) {
  throw Unavailable(
      "this build has no NCCL; install the CUDA toolkit and NCCL (libnccl-dev of NVIDIA) and build again");
}

std::string nccl_version() { return {}; }

}  // namespace mlsim::calibrate
