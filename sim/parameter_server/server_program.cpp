#include "sim/parameter_server/server_program.hpp"

#include <numeric>
#include <utility>

#include "sim/fold/program_builder.hpp"

namespace mlsim::sim {

FlowProgram server_program(const ServerTraffic& traffic, std::vector<std::uint32_t> class_size) {
  FlowProgram program;
  program.links = traffic.links;
  program.rank_classes = static_cast<std::uint32_t>(class_size.size());
  program.class_size = std::move(class_size);
  std::vector<std::uint32_t> all(program.rank_classes);
  std::iota(all.begin(), all.end(), 0U);
  LaneBuilder builder(program, 1);
  for (const ServerPhase& phase : traffic.phases) {
    builder.begin_phase(0, phase.name);
    builder.add_group(all, phase.flows);
    builder.end_phase();
  }
  return program;
}

}  // namespace mlsim::sim
