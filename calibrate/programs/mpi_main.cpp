// mlsim-mpi measures collectives under mpirun. Rank 0 reads orders from stdin and answers on stdout. Ranks begin each
// sample together after a barrier, or with MLSIM_SYNCHRONISATION=window at an agreed moment of synchronised clocks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "calibrate/bench.hpp"
#include "calibrate/collectives/collective_session.hpp"
#include "calibrate/collectives/communicator.hpp"
#include "calibrate/collectives/world.hpp"
#include "calibrate/programs/program_main.hpp"
#include "core/text/errors.hpp"

namespace mlsim::calibrate {
namespace {

CommunicatorFactory factory(World& world, const HostPlacement& placement) {
  return [&](const std::string& library, const std::string& device) {
    const std::string own_device = library == "nccl" ? "cuda" : "cpu";
    if (device != own_device)
      throw Unavailable(fmt::format("{} is measured with buffers of {} only", library, own_device));
    if (library == "mpi") return mpi_communicator(world);
    return library == "gloo" ? gloo_communicator(world, placement) : nccl_communicator(world, placement);
  };
}

std::map<std::string, std::string> versions(const World& world, const HostPlacement& placement) {
  std::map<std::string, std::string> known{{"mpi", mpi_version()},
                                           {"gloo", gloo_version()},
                                           {"nccl", nccl_version()},
                                           {"ranks", std::to_string(world.ranks())},
                                           {"nodes", std::to_string(placement.nodes())},
                                           {"ranks_per_node", std::to_string(placement.ranks_per_node())},
                                           {"hosts", fmt::format("{}", fmt::join(placement.hosts, " "))}};
  std::erase_if(known, [](const auto& entry) { return entry.second.empty(); });
  return known;
}

// Rank 0's wish decides: mpirun hands the environment to other hosts only where told to.
Synchronisation synchronisation(World& world) {
  const char* wish = std::getenv("MLSIM_SYNCHRONISATION");
  const std::string word = world.from_root(wish == nullptr || *wish == '\0' ? "barrier" : wish);
  try {
    return parse<Synchronisation>(word);
  } catch (const InputError& e) {
    throw InputError("MLSIM_SYNCHRONISATION", e.what());
  }
}

void measure_collectives(World& world, const HostPlacement& placement) {
  if (world.ranks() < 2)
    throw InputError("collectives need two ranks or more and this is one; start it with: mpirun -n 2 mlsim calibrate");
  placement.ranks_per_node();  // throws where hosts differ
  CollectiveSession session(world, factory(world, placement), synchronisation(world));
  if (world.rank() != 0) return follow(world, session);
  CollectiveBench bench(world, session, placement.hosts_by_rank());
  serve(bench, std::cin, std::cout);
  bench.end();
}

int run(int argc, char** argv, World& world) {
  try {
    const HostPlacement placement = placement_of(world.gathered(host_name()));
    const std::string option = argc > 1 ? argv[1] : "";
    if (option != "" && option != "--versions") throw InputError(unknown_word("option", option, {"--versions"}));
    if (option.empty())
      measure_collectives(world, placement);
    else if (world.rank() == 0)
      std::cout << versions_line(versions(world, placement)) << std::endl;
    return 0;
  } catch (const InputError& e) {  // every rank has the same one
    if (world.rank() == 0) std::cerr << "mlsim-mpi: " << e.what() << std::endl;
    return kWrongInput;
  } catch (const std::exception& e) {
    world.abort(e.what());
  }
}

}  // namespace
}  // namespace mlsim::calibrate

int main(int argc, char** argv) {
  std::unique_ptr<mlsim::calibrate::World> world;
  try {
    world = mlsim::calibrate::mpi_world();
  } catch (const mlsim::Unavailable& e) {
    std::cerr << "mlsim-mpi: " << e.what() << std::endl;
    return mlsim::calibrate::kUnavailable;
  }
  return mlsim::calibrate::run(argc, argv, *world);
}
