#include "sim/simulate_collective.hpp"

#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>

#include "sim/collectives/planner.hpp"
#include "sim/engine/child.hpp"
#include "sim/engine/flow_network.hpp"
#include "sim/engine/message_flows.hpp"
#include "sim/engine/message_run.hpp"
#include "sim/fold/flow_program.hpp"
#include "sim/fold/program_run.hpp"

namespace mlsim {
namespace {

std::unique_ptr<FlowNetwork> make_network(Engine engine) {
  return engine == Engine::simgrid ? make_simgrid_flow_network() : make_max_min_flow_network();
}

// All rank classes join at time 0.
CollectiveTime run_program(const FlowProgram& program, Bytes bytes, Engine engine) {
  const auto network = make_network(engine);
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

// SimGrid in a child of its own, our own solver here.
CollectiveTime on_engine(Engine engine, const std::function<CollectiveTime()>& work) {
  if (engine == Engine::max_min) return work();
  const std::string answer = in_child([&] {
    const CollectiveTime result = work();
    return std::string(reinterpret_cast<const char*>(&result), sizeof result);
  });
  CollectiveTime result;
  std::memcpy(&result, answer.data(), sizeof result);
  return result;
}

}  // namespace

CollectiveTime simulate_collective(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency,
                                   Bytes bytes, Fidelity fidelity, std::optional<Engine> asked) {
  if (fidelity == Fidelity::closed) return {closed_form_time(schedule, cluster, efficiency, bytes), 0, 0, 0};
  const auto ranks = static_cast<std::uint64_t>(schedule.ranks);
  if (fidelity == Fidelity::message) {
    const Engine engine = asked.value_or(usual_engine(ranks * schedule.lanes.size()));
    return on_engine(engine, [&]() -> CollectiveTime {
      const auto own = engine == Engine::max_min ? make_max_min_flow_network() : nullptr;
      const MessageRun run = own ? run_message_flows(*own, schedule, cluster, efficiency, bytes)
                                 : run_messages(schedule, cluster, efficiency, bytes);
      return {run.time, ranks, run.messages, run.messages};
    });
  }
  const std::vector<std::uint32_t> alike(ranks, 0);
  const FlowProgram program = fidelity == Fidelity::fluid
                                  ? unfolded_program(schedule, cluster, efficiency)
                                  : folded_program(schedule, cluster, efficiency, alike).program;
  const Engine engine = asked.value_or(usual_engine(program.flow_count()));
  return on_engine(engine, [&] { return run_program(program, bytes, engine); });
}

}  // namespace mlsim
