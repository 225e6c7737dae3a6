// mlsim-replay runs a step graph on the ranks that mpirun started. Rank 0 reads one order from stdin and answers with
// one run; all errors are sentences on stderr, and end all ranks.
#include <fmt/format.h>

#include <ctime>
#include <exception>
#include <iostream>
#include <memory>
#include <string>

#include "calibrate/collectives/communicator.hpp"
#include "calibrate/collectives/world.hpp"
#include "calibrate/environment.hpp"
#include "calibrate/programs/program_main.hpp"
#include "core/text/errors.hpp"
#include "kernels/cpu/cpu_kernel.hpp"
#include "replay/execution/replay_plan.hpp"
#include "replay/execution/replay_session.hpp"

namespace mlsim::replay {
namespace {

// Gloo joins two ranks or more.
std::unique_ptr<calibrate::Communicator> library_of(const ReplayOrder& order, calibrate::World& world,
                                                    const calibrate::HostPlacement& placement) {
  return order.backend == "mpi" || world.ranks() == 1 ? calibrate::mpi_communicator(world)
                                                      : calibrate::gloo_communicator(world, placement);
}

std::map<std::string, std::string> environment() {
  auto known = calibrate::host_environment();
  known.merge(kernels::cpu_versions());
  known["mpi"] = calibrate::mpi_version();
  if (!calibrate::gloo_version().empty()) known["gloo"] = calibrate::gloo_version();
  return known;
}

void run_order(calibrate::World& world) {
  std::string line;
  if (world.rank() == 0) std::getline(std::cin, line);
  const ReplayOrder order = replay_order_from_line(world.from_root(line), "order");
  const auto placement = calibrate::placement_of(world.gathered(calibrate::host_name()));
  const std::string begin = calibrate::time_text(std::time(nullptr));
  const ReplayPlan plan = replay_plan(order, world.ranks());
  const auto library = library_of(order, world, placement);
  ReplayRun run = replayed(order, plan, world, *library);
  if (world.rank() != 0) return;
  run.time = begin;
  run.environment = environment();
  run.hosts = placement.hosts_by_rank();
  std::cout << to_line(run) << std::endl;
}

// One rank tells what every rank has alike.
int told(const calibrate::World& world, const std::exception& e, int code) {
  if (world.rank() == 0) std::cerr << e.what() << std::endl;
  return code;
}

int run(calibrate::World& world) {
  try {
    run_order(world);
    return 0;
  } catch (const InputError& e) {
    return told(world, e, calibrate::kWrongInput);
  } catch (const Infeasible& e) {
    return told(world, e, calibrate::kWrongInput);
  } catch (const Unavailable& e) {
    return told(world, e, calibrate::kUnavailable);
  } catch (const std::exception& e) {
    world.abort(fmt::format("rank {} of {}: {}", world.rank(), world.ranks(), e.what()));
  }
}

}  // namespace
}  // namespace mlsim::replay

int main() {
  std::unique_ptr<mlsim::calibrate::World> world;
  try {
    world = mlsim::calibrate::mpi_world(mlsim::calibrate::MpiCallers::several);
  } catch (const mlsim::Unavailable& e) {
    std::cerr << e.what() << std::endl;
    return mlsim::calibrate::kUnavailable;
  }
  return mlsim::replay::run(*world);
}
