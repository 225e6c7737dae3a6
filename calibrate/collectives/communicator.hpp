// A `Communicator` is one library's way to run collectives over all ranks. A library that is not in this build keeps
// its factory, which throws Unavailable with what to install.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "calibrate/collectives/collective_subject.hpp"
#include "calibrate/collectives/world.hpp"
#include "calibrate/namespace.hpp"
#include "core/kernel/half.hpp"
#include "core/units.hpp"

namespace mlsim::calibrate {

/// An `Exchange` is one collective with its buffers in place, run again and again. Sums that a library keeps in the
/// buffer it sends from may grow to infinity over many runs, which takes the arithmetic no longer.
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// Sets the data that this rank sends, and its receive buffer to bytes that are no number.
  virtual void load(std::span<const std::byte> sent) = 0;
  /// Takes part once, until this rank has all it gets; returns how long that was. Point to point is one round trip
  /// between the first rank and the last. Collective; throws std::runtime_error where the library fails.
  virtual Seconds run() = 0;
  virtual std::vector<std::byte> received() = 0;
};

/// A transfer moves fp32 elements from this rank to another or back; `tag` tells transfers of the same two ranks apart.
struct TransferCase {
  int peer = 0;
  bool sends = false;
  std::size_t count = 0;
  int tag = 0;
};

class Communicator {
 public:
  virtual ~Communicator() = default;

  /// Makes the buffers of an exchange, without waiting for other ranks beyond a limited time. `of.rank` and `of.ranks`
  /// are those of the world. Throws Unavailable for what the library cannot do.
  virtual std::unique_ptr<Exchange> exchange(const CollectiveCase& collective) = 0;

  /// The transfer goes one way, with the roles changed on the other rank. Throws Unavailable where the library cannot.
  virtual std::unique_ptr<Exchange> transfer(const TransferCase& transfer);
};

/// MPI may be called by one thread of a process, or by several at once.
enum class MpiCallers { one, several };

/// Starts MPI; once in a process. MPI ends when the world is destroyed. Throws Unavailable.
std::unique_ptr<World> mpi_world(MpiCallers callers = MpiCallers::one);

/// These are collective; they throw Unavailable on all ranks alike. `mpi_communicator` needs a world of mpi_world().
/// Gloo speaks TCP from the interface that MLSIM_GLOO_INTERFACE names, or else over the loopback where all ranks are on
/// one host and from the address of the host's name where they are not. NCCL takes the accelerator of a rank's place on
/// its host.
std::unique_ptr<Communicator> mpi_communicator(World& world);
std::unique_ptr<Communicator> gloo_communicator(World& world, const HostPlacement& placement);
std::unique_ptr<Communicator> nccl_communicator(World& world, const HostPlacement& placement);

/// These are the versions of the libraries in this build: "mpi" -> "Open MPI v4.1.4".
std::string mpi_version();
std::string gloo_version();  // "" where it is left out
std::string nccl_version();

/// Sets into[i] = a[i] + b[i], added in fp32 and rounded, for MPI and Gloo: neither adds 16-bit floats on every
/// platform. `into` may be `a` or `b`.
void add_halves(HalfBits* into, const HalfBits* a, const HalfBits* b, std::size_t count);

}  // namespace mlsim::calibrate
