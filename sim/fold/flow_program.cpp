#include "sim/fold/flow_program.hpp"

#include <algorithm>

#include "sim/fold/placed_schedule.hpp"
#include "sim/fold/program_builder.hpp"

namespace mlsim::sim {

std::uint64_t FlowProgram::flow_count() const {
  std::uint64_t count = 0;
  for (const auto& lane : lanes)
    for (const ProgramPhase& phase : lane)
      for (const ProgramGroup& group : phase.groups) count += group.flows.size();
  return count;
}

FlowProgram unfolded_program(const Schedule& schedule, const Cluster& cluster, const LinkEfficiency& efficiency) {
  return unfolded_program(place(schedule, cluster, efficiency));
}

FlowProgram unfolded_program(const PlacedSchedule& placement) {
  constexpr std::uint32_t kUnused = ~0u;
  FlowProgram program;
  program.rank_classes = placement.ranks;
  program.class_size.assign(placement.ranks, 1);
  std::vector<std::uint32_t> number(placement.capacity.size(), kUnused);
  LaneBuilder builder(program, placement.lanes);
  for (const PlacedStage& stage : placement.stages) {
    builder.begin_phase(stage.lane, stage.name);
    for (const PlacedGroup& group : stage.groups) {
      std::vector<ProgramFlow> flows;
      flows.reserve(group.hops);
      for (std::uint32_t i = 0; i < group.hops; ++i) {
        flows.push_back(placement.flow_without_links(stage, group, i));
        for (const std::uint32_t link : placement.links_of(group.first_hop + i)) {
          if (number[link] == kUnused) {
            number[link] = static_cast<std::uint32_t>(program.links.size());
            program.links.push_back(placement.capacity[link]);
          }
          flows.back().links.push_back(number[link]);
        }
      }
      const auto members = stage.members_of(group);
      builder.add_group({members.begin(), members.end()}, std::move(flows));
    }
    builder.end_phase();
  }
  return program;
}

}  // namespace mlsim::sim
