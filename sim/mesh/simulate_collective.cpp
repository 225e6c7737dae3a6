#include "sim/mesh/simulate_collective.hpp"

#include <stdexcept>

#include "core/process/activity.hpp"
#include "sim/collectives/planner.hpp"
#include "sim/engine/child.hpp"
#include "sim/engine/flow_network.hpp"
#include "sim/engine/simulate_messages.hpp"
#include "sim/fold/flow_program.hpp"
#include "sim/fold/folded_program.hpp"
#include "sim/fold/program_run.hpp"

namespace mlsim::sim {
namespace {

// All rank classes join at time 0.
CollectiveTime run_program(const FlowProgram& program, Bytes bytes, Engine engine) {
  const auto network = make_flow_network(engine);
  Activity activity("simulating the collective", program.flow_count());
  PlacedProgram placed(*network, program, &activity);
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
                         Bytes bytes, Fidelity fidelity, std::optional<Engine> asked, bool one_of_many) {
  if (fidelity == Fidelity::closed) return {closed_form_time(schedule, cluster, efficiency, bytes), 0, 0, 0};
  const auto ranks = static_cast<std::uint64_t>(schedule.ranks);
  if (fidelity == Fidelity::message) {
    const Engine engine = asked.value_or(usual_engine(ranks * schedule.lanes.size(), one_of_many));
    const MessageRun run = simulate_messages(schedule, cluster, efficiency, bytes, engine);
    return {run.time, ranks, run.messages, run.messages};
  }
  const std::vector<std::uint32_t> alike(ranks, 0);
  const FlowProgram program = fidelity == Fidelity::fluid
                                  ? unfolded_program(schedule, cluster, efficiency)
                                  : folded_program(schedule, cluster, efficiency, alike).program;
  const Engine engine = asked.value_or(usual_engine(program.flow_count(), one_of_many));
  if (engine == Engine::max_min) return run_program(program, bytes, engine);
  const std::string packed = in_child([&] {
    Packer packer;
    packer.put(run_program(program, bytes, engine));
    return packer.take();
  });
  return Unpacker(packed).get<CollectiveTime>();
}

}  // namespace

CollectiveTime simulate_collective(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency,
                                   Bytes bytes, Fidelity fidelity, std::optional<Engine> asked, bool one_of_many) {
  CollectiveTime result = simulated(schedule, cluster, efficiency, bytes, fidelity, asked, one_of_many);
  if (schedule.ranks > 1) result.time += efficiency.call;
  return result;
}

}  // namespace mlsim::sim
