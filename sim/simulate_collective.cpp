#include "sim/simulate_collective.hpp"

#include <cstring>
#include <stdexcept>

#include "sim/collectives/planner.hpp"
#include "sim/engine/child.hpp"
#include "sim/engine/flow_network.hpp"
#include "sim/engine/message_run.hpp"
#include "sim/fold/flow_program.hpp"
#include "sim/fold/program_run.hpp"

namespace mlsim {
namespace {

// All rank classes join at time 0.
CollectiveTime run_program(const FlowProgram& program, Bytes bytes) {
  const auto network = make_simgrid_flow_network();
  PlacedProgram placed(*network, program);
  CollectiveTime result;
  result.classes = program.rank_classes;
  const auto run = placed.start(bytes, [&](std::uint32_t) { result.time = max(result.time, network->now()); });
  network->at(Seconds(0), [&] {
    for (std::uint32_t c = 0; c < program.rank_classes; ++c) run->arrive(c);
  });
  network->run();
  const std::string problem = run->unfinished();
  if (!problem.empty()) throw std::runtime_error(problem);
  result.flows = network->flows();
  result.events = network->events();
  return result;
}

CollectiveTime simulated(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency,
                         Bytes bytes, Fidelity fidelity) {
  if (fidelity == Fidelity::message) {
    const MessageRun run = run_messages(schedule, cluster, efficiency, bytes);
    return {run.time, static_cast<std::uint64_t>(schedule.ranks), run.messages, run.messages};
  }
  if (fidelity == Fidelity::fluid) return run_program(unfolded_program(schedule, cluster, efficiency), bytes);
  const std::vector<std::uint32_t> alike(static_cast<std::size_t>(schedule.ranks), 0);
  return run_program(folded_program(schedule, cluster, efficiency, alike).program, bytes);
}

}  // namespace

CollectiveTime simulate_collective(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency,
                                   Bytes bytes, Fidelity fidelity) {
  if (fidelity == Fidelity::closed) return {closed_form_time(schedule, cluster, efficiency, bytes), 0, 0, 0};
  const std::string answer = in_child([&] {
    const CollectiveTime result = simulated(schedule, cluster, efficiency, bytes, fidelity);
    return std::string(reinterpret_cast<const char*>(&result), sizeof result);
  });
  CollectiveTime result;
  std::memcpy(&result, answer.data(), sizeof result);
  return result;
}

}  // namespace mlsim
