#include "calibrate/collectives/communicator.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {

std::unique_ptr<World> mpi_world(MpiCallers) {
  throw Unavailable(
      "ranks cannot be joined: this build has no MPI; install libopenmpi-dev and openmpi-bin and build again");
}

std::unique_ptr<Communicator> mpi_communicator(World&) { throw Unavailable("this build has no MPI"); }

std::string mpi_version() { return {}; }

}  // namespace mlsim::calibrate
